import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { acceptForms, getForm } from './browser-request.ts'

describe('acceptForms', () => {
  const send = async (payload: string) => {
    const app = Fastify()
    acceptForms(app)
    app.post('/', async (request) => [...getForm(request)])
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    return app.inject({ method: 'POST', url: '/', headers, payload })
  }

  it('gives the fields in their order, with equal names, and none for an empty form', async () => {
    assert.deepEqual((await send('a=1+2&b=%F0%9F%98%80&a=&%2B')).json(), [
      ['a', '1 2'],
      ['b', '😀'],
      ['a', ''],
      ['+', ''],
    ])
    assert.deepEqual((await send('')).json(), [])
  })

  it('rejects more than 5,000 fields with malformed_request', async () => {
    assert.equal((await send('a=1&'.repeat(4_999))).json().length, 4_999)
    assert.equal((await send('a&'.repeat(5_000))).json().code, 'malformed_request')
  })

  it('rejects invalid percent-encoding with malformed_request', async () => {
    for (const form of ['a=%ff', 'a=50%', '%zz=1', 'a=1&%ed%a0%80'])
      assert.equal((await send(form)).json().code, 'malformed_request', form)
  })
})
