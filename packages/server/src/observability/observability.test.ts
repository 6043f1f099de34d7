import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../test/test-app.ts'
import { expectError } from '../../test/test-context.ts'

/** A line is written after its answer. */
const WAIT_OPTIONS = { timeout: 10_000 }

let t: TestApp
before(async () => {
  t = await testApp()
  await t.app.listen({ port: 0, host: '127.0.0.1' })
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
    const status = async (token: string | null) =>
      (await withMetricsToken.call('GET', '!/metrics', { token })).status
    assert.equal(await status(metricsToken), 200)
    assert.equal(await status(await withMetricsToken.createToken({ scopes: ['admin'] })), 200)
    for (const token of [null, `${metricsToken}x`, metricsToken.slice(1), 'lp_wrong'])
      assert.equal(await status(token), 401, String(token))
    assert.equal(await status(await withMetricsToken.createToken()), 403)
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
    for (const host of ['connect.example.com', 'localhost.example.com', '10.0.0.1', 'localhost@x'])
      expectError(await open('GET', '/metrics', { host }), 'token_missing')
    for (const host of ['localhost', '127.0.0.1:3000', '[::1]:3000'])
      assert.equal((await open('GET', '/metrics', { host })).status, 200, host)
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
    for (const name of names) assert.match(text, new RegExp(`^linchpin_runner_${name} \\d+$`, 'm'))
    assert.match(text, /^process_resident_memory_bytes \d+/m)
  })
})

describe('Health checks', () => {
  for (const path of ['/health/live', '/health/ready'])
    it(`${path} requires no token and is not cached`, async () => {
      const response = await open('GET', path)
      assert.deepEqual([response.status, response.body], [200, { status: 'ok' }])
      assert.equal(response.headers['cache-control'], 'no-store')
    })

  it('report not ready but live while the service is draining', async () => {
    const drainState = { isDraining: false }
    const other = await testApp({ drainState })
    try {
      drainState.isDraining = true
      const ready = await other.call('GET', '!/health/ready')
      assert.deepEqual([ready.status, ready.body], [503, { status: 'draining' }])
      assert.equal((await other.call('GET', '!/health/live')).status, 200)
    } finally {
      await other.close()
    }
  })

  it('report not ready when storage is unavailable', async () => {
    const other = await testApp()
    await other.database.close()
    const ready = await other.call('GET', '!/health/ready')
    assert.deepEqual([ready.status, ready.body], [503, { status: 'storage unavailable' }])
    assert.equal((await other.call('GET', '!/health/live')).status, 200)
    await other.app.close()
  })
})

describe('GET /docs', () => {
  const get = (path: string) => {
    const { port } = t.app.server.address() as AddressInfo
    return fetch(new URL(path, `http://127.0.0.1:${port}/docs/`))
  }

  it('serves a page without third-party assets', async () => {
    const page = await get('/docs')
    assert.equal(page.status, 200)
    const html = await page.text()
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
    assert.ok(assets.length >= 4)
    for (const asset of assets) {
      assert.doesNotMatch(asset, /^(?:[a-z]+:)?\/\//i, 'no other origin')
      const response = await get(asset)
      assert.equal(response.status, 200, asset)
      await response.arrayBuffer()
    }
  })

  it('has a content security policy that blocks all other origins', async () => {
    const page = await get('/docs')
    await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'self'/)
    assert.match(policy, /script-src 'self'/)
    assert.match(policy, /frame-ancestors 'self'|frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /\*|https?:\/\/(?!127)|unsafe-eval/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe-inline/)
  })

  it('loads the OpenAPI document of this service and calls no external validator', async () => {
    const script = await (await get('/docs/static/swagger-initializer.js')).text()
    const config = JSON.parse(/const config = (\{.*\})$/m.exec(script)?.[1] ?? 'null')
    assert.equal(config.validatorUrl, null)
    assert.doesNotMatch(JSON.stringify(config), /https?:/)
    assert.match(script, /url: resolveUrl\('\.\/json'\)/)
    const servedDocument = await (await get('/docs/json')).json()
    assert.deepEqual(servedDocument, (await open('GET', '/api/openapi.json')).body)
  })
})

describe('Log lines', () => {
  it('are one JSON object per request, with listed fields only', async (context) => {
    const response = await t.call('GET', '/v1/user')
    const line = await context.waitFor(() => {
      const lines = t.logs.map((text) => JSON.parse(text))
      const found = lines.find(({ reqId }) => reqId === response.headers['x-request-id'])
      assert.ok(found, 'it has a line')
      return found
    }, WAIT_OPTIONS)
    assert.deepEqual(Object.keys(line), [
      'level',
      'time',
      'reqId',
      'method',
      'route',
      'status',
      'ms',
    ])
    assert.deepEqual([line.level, line.route, line.status], ['debug', '/api/v1/user', 200])
  })

  it('never contain a token, a body, a query or a link id', async (context) => {
    const canary = 'Canary7Q2x'
    const link = `lnk_${canary.toLowerCase().padEnd(32, 'a')}`
    const createdToken = await t.createToken({ name: canary })
    const wrong = { token: `lp_${canary}` }
    const responses = await Promise.all([
      t.call('GET', `/v1/link/${link}?accountIdentifier=${canary}`),
      t.call('GET', `/v1/user?${canary}=${canary}`),
      t.call('GET', `/v1/${canary}`),
      t.call('GET', '/v1/user', wrong),
      t.call('GET', '/v1/user', { headers: { cookie: canary, 'x-forwarded-for': canary } }),
      t.call('POST', '/v1/workspace', { payload: `{"slug": ${canary}}` }),
      t.call('POST', '/v1/workspace', { body: { slug: canary, [canary]: canary } }),
      t.call('POST', '/v1/user', { body: { email: `${canary}@example.com`, firstname: canary } }),
      t.call('POST', '/v1/user', { body: { email: `${canary}\r\n{"level":"fatal"}` } }),
      t.call('POST', `/v1/integration_account/link/${link}`, { body: { config: { canary } } }),
      t.call('POST', '/v1/integration_account/check', {
        body: { integrationDefinitionId: canary, authType: canary, config: { key: canary } },
      }),
    ])
    await context.waitFor(() => {
      for (const { headers } of responses)
        assert.ok(t.logs.some((text) => text.includes(String(headers['x-request-id']))))
    }, WAIT_OPTIONS)
    const all = t.logs.join('')
    assert.doesNotMatch(all, /canary/i)
    assert.ok(!all.includes(createdToken.slice(3)) && !all.includes(t.token.slice(3)))
    assert.doesNotMatch(all, /lp_[0-9A-Za-z]{10}|lnk_[0-9a-z]{5}/)
  })

  it('are complete JSON documents, each terminated by a line feed', () => {
    for (const text of t.logs) {
      assert.ok(text.endsWith('\n') && text.trimEnd().split('\n').length === 1)
      assert.ok(['debug', 'info', 'warn', 'error'].includes(JSON.parse(text).level))
    }
  })
})
