import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { WEBDAV_METHODS } from './schemas.ts'
import {
  API_KEY,
  type ProxyResponse,
  type ProxyTestContext,
  startProxyTestContext,
} from './test/proxy-test-context.ts'

describe('ANY /v1/integration_account/{integrationAccountId}/proxy/*', () => {
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext()
  })
  after(() => proxy.close())

  /** The provider echoes what it receives. */
  const echoRequests = () =>
    proxy.setProviderHandler(async (request, response) => {
      const sum = createHash('sha256')
      for await (const chunk of request) sum.update(chunk)
      const { method, url, headers } = request
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method, url, headers, sum: sum.digest('hex') }))
    })
  const parseBody = ({ body }: ProxyResponse) => JSON.parse(body.toString())
  const assertRefused = (response: ProxyResponse, status: number, code: string) => {
    assert.deepEqual([response.status, parseBody(response).error], [status, code])
    assert.equal(response.headers['linchpin-proxy'], 'linchpin')
  }

  const bodies: readonly (readonly [string, Buffer])[] = [
    ['application/json', Buffer.from('{"a":"\\u0000","__proto__":1}')],
    ['application/x-www-form-urlencoded', Buffer.from('a=1&a=2&b=%FF')],
    ['multipart/form-data; boundary=x', Buffer.from('--x\r\n\r\nhi\r\n--x--\r\n')],
    ['application/octet-stream', randomBytes(5_000_000)],
    ['text/plain', Buffer.from('')],
  ]
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...WEBDAV_METHODS])
    it(`forwards ${method} with a body of any type unchanged`, async () => {
      echoRequests()
      for (const [type, body] of bodies) {
        const headers = { 'content-type': type }
        const response = await proxy.send('items', { method, headers, body })
        assert.equal(response.status, 200, response.body.toString())
        const received = parseBody(response)
        assert.deepEqual([received.method, received.url], [method, '/v2/items'])
        assert.equal(received.headers['content-type'], type)
        assert.equal(received.sum, createHash('sha256').update(body).digest('hex'))
        assert.equal(received.headers['x-api-key'], API_KEY)
        assert.equal(response.headers['linchpin-proxy'], 'provider')
      }
    })

  it('forwards path and query unchanged', async () => {
    echoRequests()
    for (const path of [
      'items?limit=x&limit=y&category=1&&=',
      'items?q=%FF%00&x=a+b%20c',
      'a%2Fb/c%20d/%E4?x',
      'v1/projects/p:batchGet',
      "items?$filter=Name%20eq%20'x'&$top=1",
      "items('ALFKI')?a|b=c",
      'items?q="<>`{}|^[]\'%27%22%3c%3C+;,:@!*()~',
      'a"b<c>d`e{f}g|h^i[j]k\'l;m=n,o@p!q*r(s)t~u:v',
      '{tenant}/x?filter[name]=y&a=%5B%5d',
      'a%2E%2fb?next=%2e%2E/../x#'.slice(0, -1),
      'items??a=b?c',
      'items//double///slash/',
      '%c3%A9?%c3%A9=%e9',
      '',
    ])
      assert.equal(parseBody(await proxy.send(path)).url, `/v2/${path}`)
  })

  it('resolves dot segments, and leaves the rest of the path as it is', async () => {
    echoRequests()
    for (const [path, received] of [
      ["a/../items('x')/./y|z", "items('x')/y|z"],
      ['a/%2e%2E/b|/.', 'b|/'],
      ["a//../b/..?x=../'", "a/?x=../'"],
    ])
      assert.equal(parseBody(await proxy.send(String(path))).url, `/v2/${received}`)
    const absolute = await proxy.send(`${proxy.providerUrl}/other/./a'b?c|d`)
    assert.equal(parseBody(absolute).url, "/other/a'b?c|d")
    const rootQuery = await proxy.send(`${proxy.providerUrl}?a'b`)
    assert.equal(parseBody(rootQuery).url, "/?a'b")
  })

  it('describes the same path in a JSON body, whose other characters become UTF-8', async () => {
    echoRequests()
    const send = async (path: string) => {
      const body = JSON.stringify({ path })
      const url = `${proxy.baseUrl}/api/v1/integration_account/${proxy.accountId}/proxy`
      const headers = {
        authorization: `Bearer ${proxy.token}`,
        'content-type': 'application/json',
      }
      const response = await fetch(url, { method: 'POST', headers, body })
      return ((await response.json()) as { url: string }).url
    }
    assert.equal(
      await send("/items?$filter=Name%20eq%20'x'|y"),
      "/v2/items?$filter=Name%20eq%20'x'|y",
    )
    assert.equal(await send('caf\u00e9/\u540d?q=\u20ac'), '/v2/caf%C3%A9/%E5%90%8D?q=%E2%82%AC')
  })

  it('returns 5 MB unchanged', async () => {
    const bytes = randomBytes(5_000_000)
    proxy.setProviderHandler((_request, response) => response.end(bytes))
    assert.deepEqual((await proxy.send('file')).body, bytes)
  })

  it('returns a compressed body compressed', async () => {
    const compressed = gzipSync('hello hello')
    proxy.setProviderHandler((request, response) => {
      assert.equal(request.headers['accept-encoding'], 'gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed)
    })
    const response = await proxy.send('x', { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(response.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(response.body).toString(), 'hello hello')
  })

  it('returns 204, 304, HEAD and redirects without following them', async () => {
    proxy.setProviderHandler((_request, response) => response.writeHead(204).end())
    assert.deepEqual([(await proxy.send('x', { method: 'DELETE' })).status], [204])
    proxy.setProviderHandler((_request, response) => response.writeHead(304, { etag: '"e"' }).end())
    const notModified = await proxy.send('x', { headers: { 'if-none-match': '"e"' } })
    assert.deepEqual([notModified.status, notModified.headers.etag], [304, '"e"'])
    proxy.setProviderHandler((_request, response) =>
      response.writeHead(200, { 'content-length': '30000000' }).end(),
    )
    const head = await proxy.send('x', { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers['content-length']], [200, '30000000'])
    for (const status of [301, 302, 303, 307, 308]) {
      proxy.setProviderHandler((_request, response) =>
        response.writeHead(status, { location: 'https://elsewhere.example/' }).end(),
      )
      const response = await proxy.send('x')
      assert.deepEqual(
        [response.status, response.headers.location],
        [status, 'https://elsewhere.example/'],
      )
    }
  })

  it("returns the provider's errors as its own, including a 401", async () => {
    for (const status of [400, 401, 403, 404, 429, 500, 503]) {
      let hits = 0
      proxy.setProviderHandler((_request, response) => {
        hits += 1
        response.writeHead(status, { 'retry-after': '7', 'x-ratelimit-remaining': '0' }).end('no')
      })
      const { headers, body, ...response } = await proxy.send('x')
      assert.deepEqual([response.status, body.toString(), hits], [status, 'no', 1])
      assert.deepEqual(
        [headers['linchpin-proxy'], headers['retry-after'], headers['x-ratelimit-remaining']],
        ['provider', '7', '0'],
      )
    }
  })

  it('413: a body above 25 MB, with and without Content-Length', async () => {
    let hits = 0
    proxy.setProviderHandler((request, response) => {
      hits += 1
      request.resume()
      request.on('end', () => response.end())
    })
    const large = 25 * 1024 * 1024 + 1
    const declared = proxy.openRequest('x', {
      method: 'POST',
      headers: { 'content-length': String(large) },
    })
    declared.on('error', () => {})
    declared.flushHeaders()
    const [announced] = await once(declared, 'response')
    assert.deepEqual([announced.statusCode, hits], [413, 0])
    declared.destroy()
    const chunked = proxy.openRequest('x', {
      method: 'POST',
      headers: { 'transfer-encoding': 'chunked' },
    })
    chunked.on('error', () => {})
    const responsePromise = once(chunked, 'response')
    chunked.end(Buffer.alloc(large))
    const [rejected] = await responsePromise
    assert.equal(rejected.statusCode, 413)
    rejected.resume()
  })

  it('aborts a response above 25 MB', async () => {
    proxy.setProviderHandler((_request, response) => {
      response.writeHead(200)
      response.end(Buffer.alloc(26 * 1024 * 1024))
    })
    await assert.rejects(proxy.send('x'), /aborted|ECONNRESET|hang up/)
  })

  it('aborts a response that the provider aborts', async () => {
    proxy.setProviderHandler((_request, response) => {
      response.write('half')
      setTimeout(() => response.destroy(), 30)
    })
    await assert.rejects(proxy.send('x'), /aborted|ECONNRESET/)
  })

  it('closes the connection to the provider if the caller disconnects before or during the response', async () => {
    for (const starts of [false, true]) {
      const providerClosed = Promise.withResolvers<void>()
      const requestArrived = Promise.withResolvers<void>()
      proxy.setProviderHandler((_request, response) => {
        response.on('close', () => providerClosed.resolve())
        if (starts) response.write('start')
        requestArrived.resolve()
      })
      const clientRequest = proxy.openRequest('x')
      clientRequest.on('error', () => {})
      clientRequest.end()
      await requestArrived.promise
      if (starts) {
        const [response] = await once(clientRequest, 'response')
        response.on('error', () => {})
      }
      clientRequest.destroy()
      await providerClosed.promise
    }
  })

  it('marks an unreachable provider as an error of Linchpin', async () => {
    proxy.setProviderHandler((request) => request.socket.destroy())
    assertRefused(await proxy.send('x'), 502, 'provider_error')
  })

  it('requires the scope proxy and an accessible account', async () => {
    echoRequests()
    const others = ['admin', 'read', 'write', 'credentials:read', 'tokens']
    const token = await proxy.createToken({ scopes: others })
    for (const method of ['GET', 'OPTIONS', ...WEBDAV_METHODS])
      assertRefused(await proxy.send('x', { token, method }), 403, 'insufficient_scope')
    assertRefused(await proxy.send('x', { token: 'lp_wrong' }), 401, 'token_invalid')
    const proxyToken = await proxy.createToken({ scopes: ['proxy'] })
    assert.equal((await proxy.send('x', { token: proxyToken })).status, 200)
    const { token: otherUsersToken } = await proxy.otherUser()
    const unknown = { accountId: 'acc_01m7yye6z6e6m8f814qshnwdjc' }
    const bodies = [
      await proxy.send('x', { token: otherUsersToken }),
      await proxy.send('x', unknown),
      await proxy.send('x', { accountId: 'nonsense' }),
      await proxy.send('x', { accountId: '%E0%A4%A' }),
    ].map((response) => {
      assertRefused(response, 404, 'integration_account_not_found')
      return parseBody(response).message
    })
    assert.equal(new Set(bodies).size, 1)
  })

  it('404: a deleted account', async () => {
    const { integrationDefinitionId } = (
      await proxy.call('GET', `/v1/integration_account/${proxy.accountId}`)
    ).body
    const config = { api_key: 'k' }
    const { integrationAccountId: accountId = '' } = await proxy.createAccount(
      integrationDefinitionId,
      {
        config,
      },
    )
    await proxy.call('DELETE', `/v1/integration_account/${accountId}`)
    assertRefused(await proxy.send('x', { accountId }), 404, 'integration_account_not_found')
  })

  it('logs neither paths nor secrets', () => {
    const text = proxy.logs.join('')
    assert.match(text, /proxy\/\*/)
    for (const secret of [API_KEY, 'rt-PLANTED', proxy.token, 'limit=x', 'batchGet'])
      assert.equal(text.includes(secret), false, secret)
  })
})
