import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, zstdCompressSync } from 'node:zlib'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

describe('HTTP semantics of the proxy', () => {
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext()
  })
  after(() => proxy.close())

  /** The bytes that the provider writes to its socket. */
  const respondRaw = (...parts: (string | Buffer)[]) =>
    proxy.setProviderHandler((request) => {
      for (const part of parts) request.socket.write(part, 'latin1')
      request.socket.end()
    })
  const openResponse = async (path: string, method = 'GET') => {
    const clientRequest = proxy.openRequest(path, { method })
    clientRequest.end()
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    return response
  }

  it('waits for the final response after 102 and 103', async () => {
    proxy.setProviderHandler((_request, response) => {
      response.writeProcessing()
      response.writeEarlyHints({ link: '</x.css>; rel=preload' })
      response.writeHead(201).end('real')
    })
    const clientRequest = proxy.openRequest('x')
    const informational: number[] = []
    clientRequest.on('information', ({ statusCode }) => informational.push(statusCode))
    clientRequest.end()
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'real')
    assert.deepEqual([response.statusCode, informational], [201, []])
  })

  it('answers Expect: 100-continue itself', async () => {
    proxy.setProviderHandler(async (request, response) => {
      const chunks = await request.toArray()
      response.end(`${request.headers.expect} ${Buffer.concat(chunks)}`)
    })
    const headers = { expect: '100-continue', 'content-length': '5' }
    const clientRequest = proxy.openRequest('x', { method: 'POST', headers })
    clientRequest.flushHeaders()
    await once(clientRequest, 'continue')
    clientRequest.end('hello')
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'undefined hello')
  })

  it('removes trailers in both directions and preserves the body', async () => {
    let trailers: unknown
    proxy.setProviderHandler(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      trailers = request.trailers
      response.writeHead(200, { trailer: 'x-sum' })
      response.write(body)
      response.addTrailers({ 'x-sum': '1' })
      response.end('!')
    })
    const headers = { 'transfer-encoding': 'chunked', trailer: 'x-evil' }
    const clientRequest = proxy.openRequest('x', { method: 'POST', headers })
    clientRequest.write('hello')
    clientRequest.addTrailers({ 'x-evil': '1' })
    clientRequest.end()
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'hello!')
    assert.deepEqual([response.trailers, trailers], [{}, {}])
  })

  it('forwards 206 with its range, and 416 without a body', async () => {
    proxy.setProviderHandler((request, response) => {
      assert.equal(request.headers.range, 'bytes=1-2')
      assert.equal(request.headers['if-range'], '"e"')
      response.writeHead(206, { 'content-range': 'bytes 1-2/4', 'accept-ranges': 'bytes' })
      response.end('bc')
    })
    const headers = { range: 'bytes=1-2', 'if-range': '"e"' }
    const part = await proxy.send('file', { headers })
    assert.deepEqual([part.status, part.body.toString()], [206, 'bc'])
    assert.equal(part.headers['content-range'], 'bytes 1-2/4')
    assert.equal(part.headers['accept-ranges'], 'bytes')
    proxy.setProviderHandler((_request, response) =>
      response.writeHead(416, { 'content-range': 'bytes */4', 'content-length': 0 }).end(),
    )
    assert.deepEqual((await proxy.send('file', { headers })).status, 416)
  })

  it('sends no body after HEAD, 204 and 304, and reuses the connection', async () => {
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 204],
      ['GET', 304],
    ] as const) {
      let receivedMethod: string | undefined
      proxy.setProviderHandler((request, response) => {
        receivedMethod = request.method
        response.writeHead(status, status === 204 ? {} : { 'content-length': '7' }).end()
      })
      for (let round = 0; round < 2; round += 1) {
        const response = await openResponse('x', method)
        assert.deepEqual([response.statusCode, receivedMethod], [status, method])
        assert.equal(response.headers['content-length'], status === 204 ? undefined : '7')
        assert.equal(response.headers['transfer-encoding'], undefined)
        assert.deepEqual(await response.toArray(), [])
      }
    }
  })

  it('forwards br and zstd unchanged, and adds no Accept-Encoding', async () => {
    for (const [name, bytes] of [
      ['br', brotliCompressSync('hello')],
      ['zstd', zstdCompressSync('hello')],
    ] as const) {
      let acceptEncoding: unknown
      proxy.setProviderHandler((request, response) => {
        acceptEncoding = request.headers['accept-encoding']
        const head = { 'content-encoding': name, 'content-length': bytes.length }
        response.writeHead(200, head).end(bytes)
      })
      const response = await proxy.send('x')
      assert.equal(response.headers['content-encoding'], name)
      assert.equal(response.headers['content-length'], String(bytes.length))
      assert.deepEqual([response.body, acceptEncoding], [bytes, undefined])
    }
  })

  it('preserves bytes and repetitions of response headers', async () => {
    const name = Buffer.from('attachment; filename="\u65e5\u672c.txt"').toString('latin1')
    respondRaw(
      `HTTP/1.1 200 OK\r\nContent-Disposition: ${name}\r\nX-Latin: caf\u00e9\r\n`,
      'Link: <a>\r\nLink: <b>\r\nContent-Length: 0\r\n\r\n',
    )
    const response = await openResponse('x')
    response.resume()
    assert.equal(response.headers['content-disposition'], name)
    assert.equal(response.headers['x-latin'], 'caf\u00e9')
    const links = response.rawHeaders.filter((_, at) => response.rawHeaders[at - 1] === 'Link')
    assert.deepEqual(links, ['<a>', '<b>'])
  })

  it('removes Content-Length from a 204', async () => {
    respondRaw('HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n')
    const { status, headers } = await proxy.send('x')
    assert.deepEqual([status, headers['content-length']], [204, undefined])
  })

  it('forwards an unknown status', async () => {
    respondRaw('HTTP/1.1 999 Nope\r\nContent-Length: 2\r\n\r\nno')
    const response = await proxy.send('x')
    assert.deepEqual([response.status, response.body.toString()], [999, 'no'])
  })

  for (const [description, parts] of [
    ['a protocol other than HTTP', ['SSH-2.0-OpenSSH PLANTED\r\n']],
    ['an unrequested upgrade', ['HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n']],
    [
      'two content lengths',
      ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ],
    [
      'a content length and chunks',
      ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ],
    ['headers of 40 KB', [`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`]],
    ['an incomplete head', ['HTTP/1.1 200 OK\r\nX-A: ']],
    ['nothing', []],
  ] as const)
    it(`502 provider_error if the provider sends ${description}`, async () => {
      respondRaw(...parts)
      const response = await proxy.send('x')
      const text = response.body.toString()
      assert.deepEqual([response.status, JSON.parse(text).error], [502, 'provider_error'])
      assert.equal(response.headers['linchpin-proxy'], 'linchpin')
      assert.doesNotMatch(text, /PLANTED|127\.0\.0\.1|HPE_|UND_/)
    })

  for (const [description, parts] of [
    ['ends before its length', ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf']],
    [
      'ends before its last chunk',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ],
    [
      'has an invalid chunk',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n'],
    ],
  ] as const)
    it(`closes the connection if the response ${description}`, async () => {
      respondRaw(...parts)
      await assert.rejects(proxy.send('x'), { code: 'ECONNRESET' })
    })

  it('follows no redirect, so no credential reaches another origin', async () => {
    let hits = 0
    const other = createServer((_request, response) => {
      hits += 1
      response.end('elsewhere')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/take?x=1`
    for (const status of [301, 302, 303, 307, 308])
      for (const method of ['GET', 'POST']) {
        proxy.setProviderHandler((_request, response) =>
          response.writeHead(status, { location }).end('moved'),
        )
        const body = method === 'POST' ? Buffer.from('x') : undefined
        const response = await proxy.send('x', { method, body })
        assert.deepEqual([response.status, response.headers.location], [status, location])
        assert.equal(response.body.toString(), 'moved')
      }
    other.close()
    assert.equal(hits, 0)
  })

  it('sends the whole body to HTTP/1.0 callers', async () => {
    proxy.setProviderHandler((_request, response) => {
      response.write('first ')
      response.end('second')
    })
    const { hostname, port } = new URL(proxy.baseUrl)
    const socket = connect(Number(port), hostname)
    const path = `/api/v1/integration_account/${proxy.accountId}/proxy/x`
    socket.write(`GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${proxy.token}\r\n\r\n`)
    const text = Buffer.concat(await socket.toArray()).toString()
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(text, /\r\n\r\nfirst second$/)
  })
})
