import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'

const CONSOLE = 'console.vpn.example'
const PUBLIC = 'localhost:3000'

describe('A console with a host of its own', () => {
  let t: TestApp
  before(async () => {
    t = await testApp({ consoleUrl: `https://${CONSOLE}` })
  })
  after(() => t.close())

  const get = async (host: string, url: string, headers: Record<string, string> = {}) =>
    t.app.inject({ url, headers: { host, ...headers } })

  it('is only there', async () => {
    for (const path of ['/console', '/console/open', '/console/join', '/console/links?x=1']) {
      assert.equal((await get(PUBLIC, path)).statusCode, 404, path)
      assert.equal((await get('other.example', path)).statusCode, 404, path)
      assert.ok([200, 303].includes((await get(CONSOLE, path)).statusCode), path)
    }
    const post = { method: 'POST', url: '/console/open', payload: 'code=x' } as const
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await t.app.inject({ ...post, headers: { host: PUBLIC, ...type } })
    assert.equal(response.statusCode, 404)
  })

  it('serves nothing but itself and what its pages need', async () => {
    const authorization = `Bearer ${t.token}`
    for (const path of [
      '/api/v1/user',
      '/api/openapi.json',
      '/link/lnk_x',
      '/oauth/callback',
      '/metrics',
    ]) {
      assert.equal((await get(CONSOLE, path, { authorization })).statusCode, 404, path)
    }
    assert.equal((await get(PUBLIC, '/api/v1/user', { authorization })).statusCode, 200)
    for (const host of [CONSOLE, PUBLIC])
      for (const path of ['/docs', '/health/live', '/icons/integration.svg'])
        assert.equal((await get(host, path)).statusCode, 200, `${host}${path}`)
  })

  it('is not there for those who name its host in X-Forwarded-Host, which a trusted proxy passes on', async () => {
    const app = await testApp({ consoleUrl: `https://${CONSOLE}`, trustProxy: ['127.0.0.1'] })
    const send = async (host: string, url: string, forwarded: string) => {
      const headers = { host, 'x-forwarded-host': forwarded, authorization: `Bearer ${app.token}` }
      return (await app.app.inject({ url, headers })).statusCode
    }
    assert.equal(await send(PUBLIC, '/console/open', CONSOLE), 404)
    assert.equal(await send(CONSOLE, '/console/open', PUBLIC), 200)
    assert.equal(await send(CONSOLE, '/api/v1/user', PUBLIC), 404)
    await app.close()
  })

  it('is where / leads on its host, and the documentation elsewhere', async () => {
    assert.match((await get(CONSOLE, '/')).headers.location ?? '', /\/console$/)
    assert.match((await get(PUBLIC, '/')).headers.location ?? '', /\/docs$/)
  })

  it('is not confused by other spellings of its path and host', async () => {
    for (const path of [
      '/console/../console/open',
      '//console/open',
      '/%63onsole/open',
      '/CONSOLE/open',
    ])
      assert.notEqual((await get(PUBLIC, path)).statusCode, 200, path)
    for (const path of [
      '/console/../api/v1/user',
      '/console/..%2fapi/v1/user',
      '/docs/../api/v1/user',
    ])
      assert.notEqual(
        (await get(CONSOLE, path, { authorization: `Bearer ${t.token}` })).statusCode,
        200,
        path,
      )
    assert.equal((await get(`${CONSOLE}:443`, '/console/open')).statusCode, 200)
  })
})
