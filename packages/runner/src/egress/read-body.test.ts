import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import { describe, it } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import {
  type Cleanup,
  createBundlePolicy,
  expectEgressError,
  openEgressGateway,
  serve,
  serveTcp,
} from '../../test/egress/egress-test-support.ts'
import type { EgressResponse } from './egress.ts'

const MEGABYTE = 1_000_000

/** Fetches a body that a real server sends with these headers. */
async function fetchBody(
  test: Cleanup,
  headers: OutgoingHttpHeaders,
  body: Uint8Array,
  overrides: Parameters<typeof createBundlePolicy>[0] & { method?: string } = {},
): Promise<EgressResponse> {
  const port = await serve(test, (_request, response) => {
    response.writeHead(200, headers).end(body)
  })
  const { method = 'GET', ...rest } = overrides
  return await openEgressGateway(test).request(
    { method, url: `http://127.0.0.1:${port}/` },
    createBundlePolicy(rest),
  )
}

describe('the size of a response body', () => {
  it('may reach the limit, but not exceed it', async (test) => {
    const body = Buffer.alloc(1_000, 'x')
    const { body: fullBody } = await fetchBody(test, {}, body, { maxResponseBytes: 1_000 })
    assert.equal(fullBody.length, 1_000)
    const error = await expectEgressError(fetchBody(test, {}, body, { maxResponseBytes: 999 }))
    assert.equal(error.code, 'too_large')
  })

  it('is rejected by its Content-Length alone', async (test) => {
    const port = await serveTcp(test, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\nx')
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    assert.equal(
      (await expectEgressError(openEgressGateway(test).request(request, createBundlePolicy())))
        .code,
      'too_large',
    )
  })

  it('is not checked for HEAD, which has a Content-Length but no body', async (test) => {
    const headers = { 'Content-Length': '999999999', 'Content-Encoding': 'gzip' }
    const response = await fetchBody(test, headers, Buffer.alloc(0), { method: 'HEAD' })
    assert.deepEqual([response.status, response.body.length], [200, 0])
  })

  it('is limited while an endless body is received', async (test) => {
    let isTruncated = false
    const port = await serve(test, (_request, response) => {
      const writeMore = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', writeMore).on('close', () => {
        isTruncated = true
      })
      writeMore()
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    assert.equal(
      (await expectEgressError(openEgressGateway(test).request(request, createBundlePolicy())))
        .code,
      'too_large',
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(isTruncated, true)
  })

  it('includes headers: 32 KB of them are too many', async (test) => {
    const smallHeadersResponse = await fetchBody(
      test,
      { 'X-Much': 'x'.repeat(20_000) },
      Buffer.from('ok'),
    )
    assert.equal(smallHeadersResponse.status, 200)
    const error = await expectEgressError(
      fetchBody(test, { 'X-Much': 'x'.repeat(40_000) }, Buffer.from('')),
    )
    assert.equal(error.code, 'too_large')
  })
})

describe('a compressed response body', () => {
  const text = Buffer.from('some text, some text, some text. '.repeat(1_000))
  const KINDS: readonly [string, Uint8Array][] = [
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', text],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['gzip, identity, gzip', gzipSync(gzipSync(text))],
    ['unknown', text],
  ]
  for (const [encoding, body] of KINDS) {
    it(`is decoded from ${encoding}, ${body.length} bytes`, async (test) => {
      const response = await fetchBody(test, { 'Content-Encoding': encoding }, body)
      assert.deepEqual(Buffer.from(response.body), text)
    })
  }

  it('is returned as received when decoding is off', async (test) => {
    const body = gzipSync(text)
    const response = await fetchBody(test, { 'Content-Encoding': 'gzip' }, body, {
      decompress: false,
    })
    assert.deepEqual(Buffer.from(response.body), body)
  })

  it('may be empty', async (test) => {
    const response = await fetchBody(test, { 'Content-Encoding': 'gzip' }, Buffer.alloc(0))
    assert.equal(response.body.length, 0)
  })

  it('fails the request when it cannot be decoded', async (test) => {
    for (const encoding of ['gzip', 'deflate', 'br', 'gzip, br']) {
      const headers = { 'Content-Encoding': encoding }
      const error = await expectEgressError(
        fetchBody(test, headers, Buffer.from('\xffnot compressed')),
      )
      assert.equal(error.code, 'unreachable', encoding)
    }
  })

  it('has at most two encodings', async (test) => {
    const body = gzipSync(gzipSync(gzipSync(text)))
    const error = await expectEgressError(
      fetchBody(test, { 'Content-Encoding': 'gzip,gzip,gzip' }, body),
    )
    assert.equal(error.code, 'unreachable')
  })

  it('counts as received, too: a large one that decodes to nothing is rejected', async (test) => {
    const port = await serve(test, (_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' })
      for (let index = 0; index < 20; index += 1) {
        response.write(Buffer.concat(Array(5_000).fill(gzipSync(''))))
      }
      response.end()
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    assert.equal(
      (await expectEgressError(openEgressGateway(test).request(request, createBundlePolicy())))
        .code,
      'too_large',
    )
  })

  it('is stopped while it is decoded, in bounded memory', async (test) => {
    const zeros = Buffer.alloc(200 * MEGABYTE)
    const bombs: readonly [string, Uint8Array][] = [
      ['gzip', gzipSync(zeros)],
      ['br', brotliCompressSync(zeros.subarray(0, 50 * MEGABYTE))],
      ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ]
    const before = process.memoryUsage().rss
    for (const [encoding, body] of bombs) {
      for (let index = 0; index < 5; index += 1) {
        const error = await expectEgressError(
          fetchBody(test, { 'Content-Encoding': encoding }, body),
        )
        assert.equal(error.code, 'too_large', encoding)
      }
    }
    const growthMegabytes = (process.memoryUsage().rss - before) / MEGABYTE
    assert.ok(growthMegabytes < 50, `${growthMegabytes} MB more`)
  })
})

describe('the deadline of a request', () => {
  const started = 'HTTP/1.1 200 OK\r\n'
  const SLOW: readonly [string, (tick: number) => string][] = [
    ['a slow body', (tick) => (tick === 0 ? `${started}Content-Length: 9999\r\n\r\n` : 'x')],
    ['slow headers', (tick) => (tick === 0 ? started : 'X')],
    [
      'a slow chunked body',
      (tick) => (tick === 0 ? `${started}Transfer-Encoding: chunked\r\n\r\n` : '1\r\nx\r\n'),
    ],
    ['endless 1xx responses', () => 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['silence', () => ''],
  ]
  for (const [name, chunk] of SLOW) {
    it(`ends ${name}`, async (test) => {
      const port = await serveTcp(test, (socket) => {
        let tick = 0
        const timer = setInterval(() => socket.write(chunk(tick++)), 10)
        socket.on('close', () => clearInterval(timer))
      })
      const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
      const startedAt = performance.now()
      const error = await expectEgressError(
        openEgressGateway(test).request(request, createBundlePolicy({ timeoutMs: 200 })),
      )
      assert.equal(error.code, 'timeout', error.detail)
      const elapsedMs = performance.now() - startedAt
      assert.ok(elapsedMs > 190 && elapsedMs < 4_000, `${elapsedMs} ms`)
    })
  }

  it('covers the resolver', async (test) => {
    const egressGateway = openEgressGateway(test, { resolve: () => new Promise(() => {}) })
    const request = { method: 'GET', url: 'https://slow.example/' }
    const error = await expectEgressError(
      egressGateway.request(request, createBundlePolicy({ timeoutMs: 100 })),
    )
    assert.equal(error.code, 'timeout')
  })

  it('covers all redirects together', async (test) => {
    const port = await serve(test, (_request, response) => {
      setTimeout(() => response.writeHead(302, { Location: '/' }).end(), 60)
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
    const options = createBundlePolicy({ timeoutMs: 200, maxRedirects: 20 })
    assert.equal(
      (await expectEgressError(openEgressGateway(test).request(request, options))).code,
      'timeout',
    )
  })
})
