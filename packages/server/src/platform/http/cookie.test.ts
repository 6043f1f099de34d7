import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { readCookie } from './browser-request.ts'

describe('readCookie', () => {
  const read = async (cookie: string) => {
    const app = Fastify()
    app.get('/', async (request) => readCookie(request, 'session', 'https://linchpin.example'))
    return (await app.inject({ url: '/', headers: { cookie } })).body
  }

  it('gives the value of a cookie between others', async () => {
    for (const cookie of ['__Host-session=s', 'a=1; __Host-session=s; b=2', 'a=1;__Host-session=s'])
      assert.equal(await read(cookie), 's', cookie)
  })

  it('gives none of several with the same name, nor one without the prefix', async () => {
    assert.equal(await read('__Host-session=s; __Host-session=t'), '')
    assert.equal(await read('session=s'), '')
  })

  it('gives none whose name only begins with a space of Unicode: another subdomain can set that', async () => {
    for (const space of ['\u00a0', '\u0085', '\f', '\v'])
      assert.equal(await read(`${space}__Host-session=s`), '', JSON.stringify(space))
    assert.equal(await read('__Host-session=s; \u00a0__Host-session=t'), 's')
  })
})
