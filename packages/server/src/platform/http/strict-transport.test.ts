import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { rawHttp } from '../../../test/raw-http.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'

describe('Strict-Transport-Security', () => {
  let t: TestApp
  let port: number
  let baseUrl = 'https://connect.example.com'
  before(async () => {
    t = await testApp({ baseUrl: () => baseUrl })
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    port = (t.app.server.address() as AddressInfo).port
  })
  after(() => t.close())

  const host = 'Host: connect.example.com'
  const requests: [string, string, number][] = [
    ['a response of the API', `GET /api/v1/user HTTP/1.1\r\n${host}\r\n\r\n`, 401],
    ['a page', `GET /link/lnk_1 HTTP/1.1\r\n${host}\r\n\r\n`, 404],
    ['an unknown path', `GET /nope HTTP/1.1\r\n${host}\r\n\r\n`, 404],
    ['the health check', `GET /health/live HTTP/1.1\r\n${host}\r\n\r\n`, 200],
    ['a refused Expect', `GET /nope HTTP/1.1\r\n${host}\r\nExpect: x\r\n\r\n`, 417],
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400],
    [
      'a proxied request',
      `GET /api/v1/integration_account/a/proxy/b HTTP/1.1\r\n${host}\r\n\r\n`,
      401,
    ],
  ]
  const getHeader = async (bytes: string, status: number) => {
    const { responses } = await rawHttp(port, bytes)
    assert.equal(responses[0]?.status, status)
    return responses[0]?.headers['strict-transport-security']
  }

  for (const [description, bytes, status] of requests)
    it(`is sent with ${description} if the public URL is https`, async () => {
      baseUrl = 'https://connect.example.com'
      assert.equal(await getHeader(bytes, status), 'max-age=31536000')
    })

  it('is not sent if the public URL is http on loopback', async () => {
    baseUrl = 'http://localhost:3000'
    for (const [, bytes, status] of requests)
      assert.equal(await getHeader(bytes, status), undefined)
  })
})
