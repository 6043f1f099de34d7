import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { API_KEY, type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawHeaders: readonly string[]
  readonly body: string
}

describe('POST /v1/integration_account/{integrationAccountId}/proxy', () => {
  let proxy: ProxyTestContext
  const received: Received[] = []
  before(async () => {
    proxy = await startProxyTestContext()
    proxy.setProviderHandler(async (incoming, response) => {
      const body = Buffer.concat(await incoming.toArray()).toString('base64')
      const { method, url, headers, rawHeaders } = incoming
      received.push({ method, url, headers, rawHeaders, body } as unknown as Received)
      response.writeHead(url?.includes('absent') ? 404 : 202, { 'x-own': 'provider' }).end('done')
    })
  })
  after(() => proxy.close())

  const send = (fields: unknown, options: { accountId?: string; token?: string } = {}) => {
    const { accountId = proxy.accountId, token = proxy.token } = options
    return fetch(`${proxy.baseUrl}/api/v1/integration_account/${accountId}/proxy`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: typeof fields === 'string' ? fields : JSON.stringify(fields),
    })
  }
  /** Sends a request and returns what the provider received. */
  const receive = async (fields: unknown): Promise<Received> => {
    received.length = 0
    const response = await send(fields)
    assert.deepEqual([response.status, await response.text()], [202, 'done'])
    assert.equal(response.headers.get('linchpin-proxy'), 'provider')
    assert.equal(response.headers.get('x-own'), 'provider')
    return received[0] ?? assert.fail('the provider received nothing')
  }
  const assertRefused = async (response: Response, status: number, code: string, field = '') => {
    const body = JSON.parse(await response.text())
    assert.deepEqual([response.status, body.error], [status, code], body.message)
    assert.equal(response.headers.get('linchpin-proxy'), 'linchpin')
    if (field !== '') assert.ok(Object.keys(body.errors).includes(field), body.message)
  }

  it('sends GET with the credentials of the account by default', async () => {
    const { method, url, headers, body } = await receive({ path: '/user/repos' })
    assert.deepEqual([method, url, body], ['GET', '/v2/user/repos', ''])
    assert.equal(headers['x-api-key'], API_KEY)
    assert.equal(headers.authorization, undefined)
  })

  it('sends a path unchanged, with or without the leading slash, and a URL', async () => {
    assert.equal((await receive({ path: 'user/repos' })).url, '/v2/user/repos')
    assert.equal((await receive({ path: '/a%2Fb?x=1' })).url, '/v2/a%2Fb?x=1')
    assert.equal((await receive({ path: `${proxy.providerUrl}/v2/me` })).url, '/v2/me')
  })

  it('encodes the query and appends it to that of the path', async () => {
    const query = { 'a b': 'ü&=', limit: 5, isOpen: true, tag: ['x', 'y'] }
    assert.equal(
      (await receive({ path: '/items?first=1', query })).url,
      '/v2/items?first=1&a%20b=%C3%BC%26%3D&limit=5&isOpen=true&tag=x&tag=y',
    )
    assert.equal((await receive({ path: '/items', query: {} })).url, '/v2/items')
  })

  it('sends headers, except those that belong to the connection or to Linchpin', async () => {
    const { headers, rawHeaders } = await receive({
      path: '/items',
      headers: {
        'X-Version': '7',
        'X-Many': ['a', 'b'],
        Authorization: 'Bearer stolen',
        Cookie: 'a=b',
        Host: 'elsewhere.example',
        'Content-Length': '99',
        'Transfer-Encoding': 'chunked',
        'x-api-key': 'overridden',
      },
    })
    assert.equal(headers['x-version'], '7')
    assert.equal(rawHeaders.filter((name) => name === 'X-Many').length, 2)
    assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined])
    assert.equal(headers.host, new URL(proxy.providerUrl).host)
    assert.equal(headers['x-api-key'], API_KEY)
  })

  it('sends a JSON body as it was written, with numbers that JavaScript would round', async () => {
    const body =
      '{"id":12345678901234567890,"pi":3.14159265358979323846,"one":1.0,"zero":-0,"huge":1e999,"list":[1,9007199254740993]}'
    for (const request of [
      `{"path":"/items","method":"POST","body":${body}}`,
      `{ "body" : [{"body": 0}, "}"] , "b\\u006fdy" : ${body} , "method":"POST","path":"/b" }`,
      `\ufeff{"path":"/items","query":{"body":"1"},"body":\n${body}\n,"method":"POST"}`,
    ]) {
      const { body: received, headers } = await receive(request)
      assert.equal(Buffer.from(received, 'base64').toString(), body)
      assert.equal(headers['content-type'], 'application/json')
    }
  })

  it('sends a body as JSON, as text or as bytes, with any method', async () => {
    const json = await receive({ method: 'PATCH', path: '/items/1', body: { a: [1, null] } })
    assert.deepEqual([json.method, json.headers['content-type']], ['PATCH', 'application/json'])
    assert.equal(Buffer.from(json.body, 'base64').toString(), '{"a":[1,null]}')
    const none = await receive({ method: 'PUT', path: '/items/1', body: null })
    assert.equal(Buffer.from(none.body, 'base64').toString(), 'null')
    const headers = { 'content-TYPE': 'text/csv' }
    const text = await receive({ method: 'POST', path: '/import', headers, body: 'a,b\n' })
    assert.deepEqual([text.headers['content-type'], text.body], ['text/csv', 'YSxiCg=='])
    const bytes = randomBytes(3_000_000).toString('base64')
    assert.equal((await receive({ method: 'REPORT', path: '/x', bodyBase64: bytes })).body, bytes)
  })

  it('returns the response of the provider, whatever its status', async () => {
    const response = await send({ path: '/absent' })
    assert.deepEqual([response.status, await response.text()], [404, 'done'])
    assert.equal(response.headers.get('linchpin-proxy'), 'provider')
  })

  it('400 for what is not a request, which names the field', async () => {
    received.length = 0
    for (const [fields, field] of [
      [{}, 'path'],
      [{ path: '/a', method: 'TRACE' }, 'method'],
      [{ path: '/a', method: 'get' }, 'method'],
      [{ path: '/a', unknown: 1 }, 'unknown'],
      [{ path: '/a', query: { a: { b: 1 } } }, 'query.a'],
      [{ path: '/a', headers: { 'x-a': 'b\r\nx-c: d' } }, 'headers.x-a'],
      [{ path: '/a', headers: { 'x-a': '✓' } }, 'headers.x-a'],
      [{ path: '/a', bodyBase64: 'a b' }, 'bodyBase64'],
      [{ path: '/a', bodyBase64: 'YQ' }, 'bodyBase64'],
      [{ path: '/a', bodyBase64: 'YQ==', body: 1 }, 'bodyBase64'],
    ] as const)
      await assertRefused(await send(fields), 400, 'validation_failed', field)
    const named = await send({ path: '/a', headers: { 'x a': 'b' } })
    await assertRefused(named, 400, 'validation_failed')
    for (const path of ['/../x', '/a b', 'https://elsewhere.example/', '//elsewhere.example/#'])
      await assertRefused(await send({ path }), 400, 'proxy_target_not_allowed')
    assert.deepEqual(received, [])
  })

  it('401 without a token, 403 without the scope, 404 for an unknown account', async () => {
    const fields = { path: '/items' }
    await assertRefused(await send(fields, { token: 'none' }), 401, 'token_invalid')
    const token = await proxy.createToken({ scopes: ['read', 'write'] })
    await assertRefused(await send(fields, { token }), 403, 'insufficient_scope')
    const accountId = 'acc_01kahn41dke3jtmrb2w3zj6t0y'
    await assertRefused(await send(fields, { accountId }), 404, 'integration_account_not_found')
  })

  it('sends 25 MB, and refuses more', async () => {
    const most = Buffer.alloc(25 * 1024 * 1024).toString('base64')
    assert.equal((await receive({ method: 'POST', path: '/a', bodyBase64: most })).body, most)
    const more = Buffer.alloc(25 * 1024 * 1024 + 1).toString('base64')
    const refused = await send({ method: 'POST', path: '/a', bodyBase64: more })
    await assertRefused(refused, 413, 'body_too_large')
  })

  it('503 for a third long body at once, and accepts one when another has ended', async () => {
    const { hostname, port } = new URL(proxy.baseUrl)
    const startUpload = () =>
      request({
        hostname,
        port,
        method: 'POST',
        path: `/api/v1/integration_account/${proxy.accountId}/proxy`,
        headers: {
          authorization: `Bearer ${proxy.token}`,
          'content-type': 'application/json',
          'content-length': '2000000',
        },
      })
    const uploads = [startUpload(), startUpload(), startUpload()]
    for (const upload of uploads) upload.on('error', () => {}).write('{')
    const refused = await Promise.race(
      uploads.map(async (upload): Promise<IncomingMessage> => (await once(upload, 'response'))[0]),
    )
    const text = Buffer.concat(await refused.toArray()).toString()
    assert.deepEqual([refused.statusCode, JSON.parse(text).error], [503, 'overloaded'])
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal(refused.headers['linchpin-proxy'], 'linchpin')
    assert.equal((await send({ path: '/short' })).status, 202)
    for (const upload of uploads) upload.destroy()
    const long = { method: 'POST', path: '/a', body: 'x'.repeat(1_100_000) }
    const statuses = []
    while (statuses.at(-1) !== 202 && statuses.length < 200) {
      statuses.push((await send(long)).status)
      await sleep(10)
    }
    assert.equal(statuses.at(-1), 202)
  })
})
