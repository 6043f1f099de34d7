import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectError } from '../../../test/test-context.ts'

describe('Metrics', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  const open = (method: string, path: string, headers: Record<string, string> = {}) =>
    t.call(method, `!${path}`, { token: null, headers })

  describe('GET /metrics with LINCHPIN_METRICS_TOKEN', () => {
    const metricsToken = 'metrics-token-0123456789'
    let withMetricsToken: TestApp
    before(async () => {
      withMetricsToken = await testApp({ metricsToken })
    })
    after(() => withMetricsToken.close())

    it('accepts only that token and admin tokens, on loopback too', async () => {
      const getStatus = async (token: string | null) =>
        (await withMetricsToken.call('GET', '!/metrics', { token })).status
      assert.equal(await getStatus(metricsToken), 200)
      assert.equal(await getStatus(await withMetricsToken.createToken({ scopes: ['admin'] })), 200)
      for (const token of [null, `${metricsToken}x`, metricsToken.slice(1), 'lp_wrong'])
        assert.equal(await getStatus(token), 401, String(token))
      assert.equal(await getStatus(await withMetricsToken.createToken()), 403)
    })

    it('accepts that token at no other path', async () => {
      expectError(
        await withMetricsToken.call('GET', '/v1/user', { token: metricsToken }),
        'token_invalid',
      )
    })
  })

  describe('GET /metrics', () => {
    const forwarded = [
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
      { 'x-real-ip': '203.0.113.9' },
      { via: '1.1 proxy' },
    ]

    it('requires no token on loopback', async () => {
      const response = await open('GET', '/metrics')
      assert.equal(response.status, 200)
      assert.match(String(response.headers['content-type']), /^text\/plain; version=/)
      assert.equal(response.headers['cache-control'], 'no-store')
    })

    for (const headers of forwarded)
      it(`requires an admin token behind a proxy that sends ${Object.keys(headers)[0]}`, async () => {
        expectError(await open('GET', '/metrics', headers), 'token_missing')
        const callMetrics = (token: string) => t.call('GET', '!/metrics', { token, headers })
        expectError(await callMetrics(await t.createToken()), 'insufficient_scope')
        const boundToken = await t.createToken({ scopes: ['admin'], workspaceId: t.workspaceId })
        expectError(await callMetrics(boundToken), 'insufficient_scope')
        assert.equal((await callMetrics(await t.createToken({ scopes: ['admin'] }))).status, 200)
      })

    it('requires an admin token from other addresses', async () => {
      const response = await t.app.inject({ url: '/metrics', remoteAddress: '203.0.113.9' })
      assert.equal(response.statusCode, 401)
      const mapped = await t.app.inject({ url: '/metrics', remoteAddress: '::ffff:127.0.0.1' })
      assert.equal(mapped.statusCode, 200)
    })

    it('requires a token on loopback with a public Host header', async () => {
      for (const host of [
        'connect.example.com',
        'localhost.example.com',
        '10.0.0.1',
        'localhost@x',
      ])
        expectError(await open('GET', '/metrics', { host }), 'token_missing')
      for (const host of ['localhost', '127.0.0.1:3000', '[::1]:3000'])
        assert.equal((await open('GET', '/metrics', { host })).status, 200, host)
    })

    it('requires a token on loopback if the public URL is not on loopback: a proxy may hide that it is one', async (test) => {
      const published = await testApp({ baseUrl: () => 'https://connect.example.com' })
      test.after(() => published.close())
      for (const host of ['localhost', '127.0.0.1:3000', 'connect.example.com'])
        expectError(
          await published.call('GET', '!/metrics', { token: null, headers: { host } }),
          'token_missing',
        )
      const token = await published.createToken({ scopes: ['admin'] })
      assert.equal((await published.call('GET', '!/metrics', { token })).status, 200)
    })

    it('labels requests by route template and never contains an id, a query or a token', async () => {
      const link = `lnk_${'a'.repeat(32)}`
      await t.call('GET', `/v1/link/${link}?accountIdentifier=canary`)
      await t.call('GET', '/v1/canary-path')
      await t.call('DELETE', '/v1/user/token/tok_canary')
      const { text } = await open('GET', '/metrics')
      assert.match(
        text,
        /duration_seconds_count\{method="GET",route="\/api\/v1\/link\/:linkId",status="404"\} 1/,
      )
      assert.match(
        text,
        /duration_seconds_count\{method="DELETE",route="[^"]*:tokenId",status="404"\} 1/,
      )
      assert.match(text, /route="unknown",status="404"/)
      assert.doesNotMatch(text, /canary|lnk_|tok_|wsp_|usr_|lp_/)
    })

    it('contains metrics of the runner and the process', async () => {
      const { text } = await open('GET', '/metrics')
      const names = ['children', 'running_calls', 'waiting_calls', 'restarts_total']
      for (const name of names)
        assert.match(text, new RegExp(`^linchpin_runner_${name} \\d+$`, 'm'))
      assert.match(text, /^process_resident_memory_bytes \d+/m)
    })
  })
})
