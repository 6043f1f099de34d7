import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { API_KEY, type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

describe('headers of proxied requests', () => {
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext()
  })
  after(() => proxy.close())

  async function receivedHeaders(
    headers: Record<string, string | string[]>,
    method = 'GET',
  ): Promise<IncomingHttpHeaders> {
    proxy.setProviderHandler((request, response) => response.end(JSON.stringify(request.headers)))
    const response = await proxy.send('x', { method, headers })
    assert.equal(response.status, 200, response.body.toString())
    return JSON.parse(response.body.toString())
  }

  for (const [name, value] of [
    ['accept', 'application/vnd.x+json'],
    ['accept-language', 'de'],
    ['content-type', 'text/csv'],
    ['content-encoding', 'gzip'],
    ['if-none-match', '"e"'],
    ['idempotency-key', 'i-1'],
    ['range', 'bytes=0-1'],
    ['stripe-version', '2026-01-01'],
    ['traceparent', '00-1-2-01'],
    ['user-agent', 'theirs/1'],
    ['x-latin', 'caf\u00e9'],
  ])
    it(`the request header ${name} is forwarded`, async () => {
      assert.equal((await receivedHeaders({ [String(name)]: String(value) }))[String(name)], value)
    })

  for (const name of [
    'cookie',
    'forwarded',
    'via',
    'x-real-ip',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'proxy-authorization',
    'proxy-connection',
    'keep-alive',
    'te',
    'upgrade',
    'http2-settings',
    'linchpin-anything',
    // As servers read it that pass headers on as variables.
    'x_forwarded_host',
    'x-forwarded_for',
    'proxy_authorization',
    'x_api_key',
  ])
    it(`the request header ${name} is not forwarded`, async () => {
      assert.equal((await receivedHeaders({ [name]: 'PLANTED' }))[name], undefined)
    })

  it("never contain Linchpin's token, and contain the provider's host", async () => {
    const headers = await receivedHeaders({})
    assert.equal(headers.authorization, undefined)
    assert.equal(headers.host, new URL(proxy.providerUrl).host)
    assert.equal(JSON.stringify(headers).includes(proxy.token), false)
    assert.equal(headers['user-agent'], 'Linchpin')
  })

  it('do not contain headers listed in Connection, except the credentials', async () => {
    const headers = await receivedHeaders({
      connection: 'x-hop, X-Api-Key',
      'x-hop': '1',
      'x-kept': '2',
    })
    assert.deepEqual(
      [headers['x-hop'], headers['x-kept'], headers['x-api-key']],
      [undefined, '2', API_KEY],
    )
  })

  it("credentials override the caller's headers, except those that describe the body", async () => {
    const headers = await receivedHeaders({
      'x-API-key': ['theirs', 'again'],
      'content-type': 'text/csv',
    })
    assert.equal(headers['x-api-key'], API_KEY)
    assert.equal(headers['content-type'], 'text/csv')
    assert.equal((await receivedHeaders({}))['content-type'], 'application/x-of-the-bundle')
  })

  it('tokens that HEADERS returns beside the headers are stored', async () => {
    assert.equal(JSON.stringify(await receivedHeaders({})).includes('rt-PLANTED'), false)
  })

  it('a repeated header is forwarded with all values', async () => {
    proxy.setProviderHandler((request, response) =>
      response.end(JSON.stringify(request.rawHeaders)),
    )
    const { body } = await proxy.send('x', { headers: { 'X-Many': ['a', 'b'] } })
    const rawHeaders: string[] = JSON.parse(body.toString())
    assert.deepEqual(
      rawHeaders.filter((_value, index) => rawHeaders[index - 1] === 'X-Many'),
      ['a', 'b'],
    )
  })

  const fetchResponseHeaders = async (headers: Record<string, string | string[]>) => {
    proxy.setProviderHandler((_request, response) => response.writeHead(200, headers).end('x'))
    return (await proxy.send('x')).headers
  }

  for (const [name, value] of [
    ['content-type', 'text/html'],
    ['content-disposition', 'attachment; filename=x'],
    ['content-range', 'bytes 0-0/1'],
    ['etag', '"e"'],
    ['last-modified', 'Sat, 21 Nov 2026 10:00:00 GMT'],
    ['link', '<https://api.example.com/?page=2>; rel="next"'],
    ['location', '/elsewhere'],
    ['retry-after', '3'],
    ['vary', 'accept'],
    ['www-authenticate', 'Bearer realm="theirs"'],
    ['x-ratelimit-remaining', '4'],
    ['ratelimit', '"default";r=50;t=30'],
    ['x-github-request-id', 'a:b'],
  ])
    it(`the response header ${name} is forwarded`, async () => {
      assert.equal(
        (await fetchResponseHeaders({ [String(name)]: String(value) }))[String(name)],
        value,
      )
    })

  for (const name of [
    'set-cookie',
    'strict-transport-security',
    'content-security-policy-report-only',
    'access-control-allow-origin',
    'access-control-allow-credentials',
    'clear-site-data',
    'alt-svc',
    'refresh',
    'service-worker-allowed',
    'report-to',
    'nel',
    'x-frame-options',
    'permissions-policy',
    'cross-origin-opener-policy',
    'referrer-policy',
    'expires',
    'proxy-authenticate',
    'trailer',
    'linchpin-anything',
  ])
    it(`the response header ${name} is removed`, async () => {
      assert.equal((await fetchResponseHeaders({ [name]: 'PLANTED' }))[name], undefined)
    })

  it("every response is sandboxed, not sniffed, not cached, and marked as the provider's", async () => {
    const headers = await fetchResponseHeaders({
      'content-type': 'text/html',
      'content-security-policy': 'script-src *',
      'x-content-type-options': 'theirs',
      'cache-control': 'public',
      'linchpin-proxy': 'linchpin',
      'x-request-id': 'theirs',
      connection: 'close, x-hop',
      'x-hop': '1',
    })
    assert.equal(headers['content-security-policy'], 'sandbox')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['linchpin-proxy'], 'provider')
    assert.match(String(headers['x-request-id']), /^[\da-f-]{36}$/)
    assert.equal(headers['x-hop'], undefined)
  })
})
