import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, zstdCompressSync } from 'node:zlib'
import { type ProxyWorld, startProxyWorld } from './test/proxy-world.ts'

describe('HTTP through the proxy', () => {
  let w: ProxyWorld
  before(async () => {
    w = await startProxyWorld()
  })
  after(() => w.close())

  /** What the provider writes on its socket, byte for byte. */
  const raw = (...parts: (string | Buffer)[]) =>
    w.play((request) => {
      for (const part of parts) request.socket.write(part, 'latin1')
      request.socket.end()
    })
  const open = async (tail: string, method = 'GET') => {
    const asked = w.open(tail, { method })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return response
  }

  it('waits for the answer behind 102 and 103', async () => {
    w.play((_request, response) => {
      response.writeProcessing()
      response.writeEarlyHints({ link: '</x.css>; rel=preload' })
      response.writeHead(201).end('real')
    })
    const asked = w.open('x')
    const early: number[] = []
    asked.on('information', ({ statusCode }) => early.push(statusCode))
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'real')
    assert.deepEqual([response.statusCode, early], [201, []])
  })

  it('answers Expect: 100-continue itself', async () => {
    w.play(async (request, response) => {
      const chunks = await request.toArray()
      response.end(`${request.headers.expect} ${Buffer.concat(chunks)}`)
    })
    const headers = { expect: '100-continue', 'content-length': '5' }
    const asked = w.open('x', { method: 'POST', headers })
    asked.flushHeaders()
    await once(asked, 'continue')
    asked.end('hello')
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'undefined hello')
  })

  it('drops trailers of either side and keeps the body whole', async () => {
    let trailers: unknown
    w.play(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      trailers = request.trailers
      response.writeHead(200, { trailer: 'x-sum' })
      response.write(body)
      response.addTrailers({ 'x-sum': '1' })
      response.end('!')
    })
    const headers = { 'transfer-encoding': 'chunked', trailer: 'x-evil' }
    const asked = w.open('x', { method: 'POST', headers })
    asked.write('hello')
    asked.addTrailers({ 'x-evil': '1' })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(Buffer.concat(await response.toArray()).toString(), 'hello!')
    assert.deepEqual([response.trailers, trailers], [{}, {}])
  })

  it('passes parts on: 206 with its range, 416 without a body', async () => {
    w.play((request, response) => {
      assert.equal(request.headers.range, 'bytes=1-2')
      assert.equal(request.headers['if-range'], '"e"')
      response.writeHead(206, { 'content-range': 'bytes 1-2/4', 'accept-ranges': 'bytes' })
      response.end('bc')
    })
    const headers = { range: 'bytes=1-2', 'if-range': '"e"' }
    const part = await w.ask('file', { headers })
    assert.deepEqual([part.status, part.body.toString()], [206, 'bc'])
    assert.equal(part.headers['content-range'], 'bytes 1-2/4')
    assert.equal(part.headers['accept-ranges'], 'bytes')
    w.play((_request, response) =>
      response.writeHead(416, { 'content-range': 'bytes */4', 'content-length': 0 }).end(),
    )
    assert.deepEqual((await w.ask('file', { headers })).status, 416)
  })

  it('has no body after HEAD, 204 and 304, and the connection goes on', async () => {
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 204],
      ['GET', 304],
    ] as const) {
      let seen: string | undefined
      w.play((request, response) => {
        seen = request.method
        response.writeHead(status, status === 204 ? {} : { 'content-length': '7' }).end()
      })
      for (let round = 0; round < 2; round += 1) {
        const response = await open('x', method)
        assert.deepEqual([response.statusCode, seen], [status, method])
        assert.equal(response.headers['content-length'], status === 204 ? undefined : '7')
        assert.equal(response.headers['transfer-encoding'], undefined)
        assert.deepEqual(await response.toArray(), [])
      }
    }
  })

  it('hands br and zstd on as they are, and asks for no encoding by itself', async () => {
    for (const [name, bytes] of [
      ['br', brotliCompressSync('hello')],
      ['zstd', zstdCompressSync('hello')],
    ] as const) {
      let wished: unknown
      w.play((request, response) => {
        wished = request.headers['accept-encoding']
        const head = { 'content-encoding': name, 'content-length': bytes.length }
        response.writeHead(200, head).end(bytes)
      })
      const answer = await w.ask('x')
      assert.equal(answer.headers['content-encoding'], name)
      assert.equal(answer.headers['content-length'], String(bytes.length))
      assert.deepEqual([answer.body, wished], [bytes, undefined])
    }
  })

  it('brings bytes and repetitions of headers back as they are', async () => {
    const name = Buffer.from('attachment; filename="\u65e5\u672c.txt"').toString('latin1')
    raw(
      `HTTP/1.1 200 OK\r\nContent-Disposition: ${name}\r\nX-Latin: caf\u00e9\r\n`,
      'Link: <a>\r\nLink: <b>\r\nContent-Length: 0\r\n\r\n',
    )
    const response = await open('x')
    response.resume()
    assert.equal(response.headers['content-disposition'], name)
    assert.equal(response.headers['x-latin'], 'caf\u00e9')
    const links = response.rawHeaders.filter((_, at) => response.rawHeaders[at - 1] === 'Link')
    assert.deepEqual(links, ['<a>', '<b>'])
  })

  it('drops the length of a 204, which has none', async () => {
    raw('HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n')
    const { status, headers } = await w.ask('x')
    assert.deepEqual([status, headers['content-length']], [204, undefined])
  })

  it('passes a status on that nobody knows', async () => {
    raw('HTTP/1.1 999 Nope\r\nContent-Length: 2\r\n\r\nno')
    const answer = await w.ask('x')
    assert.deepEqual([answer.status, answer.body.toString()], [999, 'no'])
  })

  for (const [what, parts] of [
    ['no HTTP', ['SSH-2.0-OpenSSH PLANTED\r\n']],
    [
      'an upgrade that nobody asked for',
      ['HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ],
    ['two lengths', ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab']],
    [
      'a length and chunks',
      ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ],
    ['headers of 40 KB', [`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`]],
    ['half a head', ['HTTP/1.1 200 OK\r\nX-A: ']],
    ['nothing', []],
  ] as const)
    it(`is 502 provider_error when the provider sends ${what}`, async () => {
      raw(...parts)
      const answer = await w.ask('x')
      const text = answer.body.toString()
      assert.deepEqual([answer.status, JSON.parse(text).error], [502, 'provider_error'])
      assert.equal(answer.headers['linchpin-proxy'], 'linchpin')
      assert.doesNotMatch(text, /PLANTED|127\.0\.0\.1|HPE_|UND_/)
    })

  for (const [what, parts] of [
    ['ends before its length', ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf']],
    [
      'ends before its last chunk',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ],
    [
      'has a chunk that is none',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n'],
    ],
  ] as const)
    it(`breaks an answer off that ${what}`, async () => {
      raw(...parts)
      await assert.rejects(w.ask('x'), { code: 'ECONNRESET' })
    })

  it('follows no redirect: no credential reaches another origin', async () => {
    let hits = 0
    const other = createServer((_request, response) => {
      hits += 1
      response.end('elsewhere')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/take?x=1`
    for (const status of [301, 302, 303, 307, 308])
      for (const method of ['GET', 'POST']) {
        w.play((_request, response) => response.writeHead(status, { location }).end('moved'))
        const body = method === 'POST' ? Buffer.from('x') : undefined
        const answer = await w.ask('x', { method, body })
        assert.deepEqual([answer.status, answer.headers.location], [status, location])
        assert.equal(answer.body.toString(), 'moved')
      }
    other.close()
    assert.equal(hits, 0)
  })

  it('tells callers that speak HTTP/1.0 the whole body too', async () => {
    w.play((_request, response) => {
      response.write('first ')
      response.end('second')
    })
    const { hostname, port } = new URL(w.base)
    const socket = connect(Number(port), hostname)
    const path = `/api/v1/integration_account/${w.accountId}/proxy/x`
    socket.write(`GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${w.token}\r\n\r\n`)
    const text = Buffer.concat(await socket.toArray()).toString()
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(text, /\r\n\r\nfirst second$/)
  })
})
