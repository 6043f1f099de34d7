import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { WEBDAV_METHODS } from './routes.ts'
import { API_KEY, type ProxyAnswer, type ProxyWorld, startProxyWorld } from './test/proxy-world.ts'

describe('ANY /v1/integration_account/{integrationAccountId}/proxy/*', () => {
  let w: ProxyWorld
  before(async () => {
    w = await startProxyWorld()
  })
  after(() => w.close())

  /** The provider says what it got. */
  const echo = () =>
    w.play(async (request, response) => {
      const sum = createHash('sha256')
      for await (const chunk of request) sum.update(chunk)
      const { method, url, headers } = request
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method, url, headers, sum: sum.digest('hex') }))
    })
  const json = ({ body }: ProxyAnswer) => JSON.parse(body.toString())
  const refused = (answer: ProxyAnswer, status: number, code: string) => {
    assert.deepEqual([answer.status, json(answer).error], [status, code])
    assert.equal(answer.headers['linchpin-proxy'], 'linchpin')
  }

  const bodies: readonly (readonly [string, Buffer])[] = [
    ['application/json', Buffer.from('{"a":"\\u0000","__proto__":1}')],
    ['application/x-www-form-urlencoded', Buffer.from('a=1&a=2&b=%FF')],
    ['multipart/form-data; boundary=x', Buffer.from('--x\r\n\r\nhi\r\n--x--\r\n')],
    ['application/octet-stream', randomBytes(5_000_000)],
    ['text/plain', Buffer.from('')],
  ]
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...WEBDAV_METHODS])
    it(`carries ${method} with a body of any type as it is`, async () => {
      echo()
      for (const [type, body] of bodies) {
        const headers = { 'content-type': type }
        const answer = await w.ask('items', { method, headers, body })
        assert.equal(answer.status, 200, answer.body.toString())
        const seen = json(answer)
        assert.deepEqual([seen.method, seen.url], [method, '/v2/items'])
        assert.equal(seen.headers['content-type'], type)
        assert.equal(seen.sum, createHash('sha256').update(body).digest('hex'))
        assert.equal(seen.headers['x-api-key'], API_KEY)
        assert.equal(answer.headers['linchpin-proxy'], 'provider')
      }
    })

  it('keeps path and query as they were written', async () => {
    echo()
    for (const tail of [
      'items?limit=x&limit=y&category=1&&=',
      'items?q=%FF%00&x=a+b%20c',
      'a%2Fb/c%20d/%E4?x',
      'v1/projects/p:batchGet',
      '',
    ])
      assert.equal(json(await w.ask(tail)).url, `/v2/${tail}`)
  })

  it('brings 5 MB of bytes back as they are', async () => {
    const bytes = randomBytes(5_000_000)
    w.play((_request, response) => response.end(bytes))
    assert.deepEqual((await w.ask('file')).body, bytes)
  })

  it('hands compressed bytes on compressed', async () => {
    const zipped = gzipSync('hello hello')
    w.play((request, response) => {
      assert.equal(request.headers['accept-encoding'], 'gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped)
    })
    const answer = await w.ask('x', { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(answer.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(answer.body).toString(), 'hello hello')
  })

  it('answers 204, 304, HEAD and redirects without following', async () => {
    w.play((_request, response) => response.writeHead(204).end())
    assert.deepEqual([(await w.ask('x', { method: 'DELETE' })).status], [204])
    w.play((_request, response) => response.writeHead(304, { etag: '"e"' }).end())
    const same = await w.ask('x', { headers: { 'if-none-match': '"e"' } })
    assert.deepEqual([same.status, same.headers.etag], [304, '"e"'])
    w.play((_request, response) => response.writeHead(200, { 'content-length': '30000000' }).end())
    const head = await w.ask('x', { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers['content-length']], [200, '30000000'])
    for (const status of [301, 302, 303, 307, 308]) {
      w.play((_request, response) =>
        response.writeHead(status, { location: 'https://elsewhere.example/' }).end(),
      )
      const answer = await w.ask('x')
      assert.deepEqual(
        [answer.status, answer.headers.location],
        [status, 'https://elsewhere.example/'],
      )
    }
  })

  it('passes failures of the provider on as its own, a 401 too', async () => {
    for (const status of [400, 401, 403, 404, 429, 500, 503]) {
      let hits = 0
      w.play((_request, response) => {
        hits += 1
        response.writeHead(status, { 'retry-after': '7', 'x-ratelimit-remaining': '0' }).end('no')
      })
      const { headers, body, ...answer } = await w.ask('x')
      assert.deepEqual([answer.status, body.toString(), hits], [status, 'no', 1])
      assert.deepEqual(
        [headers['linchpin-proxy'], headers['retry-after'], headers['x-ratelimit-remaining']],
        ['provider', '7', '0'],
      )
    }
  })

  it('takes no body above 25 MB, announced or not', async () => {
    let hits = 0
    w.play((request, response) => {
      hits += 1
      request.resume()
      request.on('end', () => response.end())
    })
    const large = 25 * 1024 * 1024 + 1
    const said = w.open('x', { method: 'POST', headers: { 'content-length': String(large) } })
    said.on('error', () => {})
    said.flushHeaders()
    const [announced] = await once(said, 'response')
    assert.deepEqual([announced.statusCode, hits], [413, 0])
    said.destroy()
    const chunked = w.open('x', { method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
    chunked.on('error', () => {})
    const answered = once(chunked, 'response')
    chunked.end(Buffer.alloc(large))
    const [counted] = await answered
    assert.equal(counted.statusCode, 413)
    counted.resume()
  })

  it('breaks off an answer above 25 MB instead of ending it', async () => {
    w.play((_request, response) => {
      response.writeHead(200)
      response.end(Buffer.alloc(26 * 1024 * 1024))
    })
    await assert.rejects(w.ask('x'), /aborted|ECONNRESET|hang up/)
  })

  it('breaks off what the provider breaks off', async () => {
    w.play((_request, response) => {
      response.write('half')
      setTimeout(() => response.destroy(), 30)
    })
    await assert.rejects(w.ask('x'), /aborted|ECONNRESET/)
  })

  it('lets go of the provider when the caller leaves, before and inside the answer', async () => {
    for (const starts of [false, true]) {
      const left = Promise.withResolvers<void>()
      const here = Promise.withResolvers<void>()
      w.play((_request, response) => {
        response.on('close', () => left.resolve())
        if (starts) response.write('start')
        here.resolve()
      })
      const sent = w.open('x')
      sent.on('error', () => {})
      sent.end()
      await here.promise
      if (starts) {
        const [response] = await once(sent, 'response')
        response.on('error', () => {})
      }
      sent.destroy()
      await left.promise
    }
  })

  it('says who spoke when the provider is not there', async () => {
    w.play((request) => request.socket.destroy())
    refused(await w.ask('x'), 502, 'provider_error')
  })

  it('needs the scope proxy, and an account that the caller reaches', async () => {
    echo()
    const others = ['admin', 'read', 'write', 'credentials:read', 'tokens']
    const token = await w.mint({ scopes: others })
    for (const method of ['GET', 'OPTIONS', ...WEBDAV_METHODS])
      refused(await w.ask('x', { token, method }), 403, 'insufficient_scope')
    refused(await w.ask('x', { token: 'lp_wrong' }), 401, 'token_invalid')
    const enough = await w.mint({ scopes: ['proxy'] })
    assert.equal((await w.ask('x', { token: enough })).status, 200)
    const { token: theirs } = await w.stranger()
    const unknown = { accountId: 'acc_01m7yye6z6e6m8f814qshnwdjc' }
    const bodies = [
      await w.ask('x', { token: theirs }),
      await w.ask('x', unknown),
      await w.ask('x', { accountId: 'nonsense' }),
      await w.ask('x', { accountId: '%E0%A4%A' }),
    ].map((answer) => {
      refused(answer, 404, 'integration_account_not_found')
      return json(answer).message
    })
    assert.equal(new Set(bodies).size, 1)
  })

  it('knows no deleted account', async () => {
    const { integrationDefinitionId = '' } = (
      await w.call('GET', `/v1/integration_account/${w.accountId}`)
    ).body
    const config = { api_key: 'k' }
    const { integrationAccountId: accountId = '' } = await w.connect(integrationDefinitionId, {
      config,
    })
    await w.call('DELETE', `/v1/integration_account/${accountId}`)
    refused(await w.ask('x', { accountId }), 404, 'integration_account_not_found')
  })

  it('writes neither paths nor secrets into its log', () => {
    const text = w.logs.join('')
    assert.match(text, /proxy\/\*/)
    for (const secret of [API_KEY, 'rt-PLANTED', w.token, 'limit=x', 'batchGet'])
      assert.equal(text.includes(secret), false, secret)
  })
})
