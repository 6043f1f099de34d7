import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  createBundlePolicy,
  expectEgressError,
  openEgressGateway,
  serve,
} from '../../test/egress/egress-test-support.ts'
import {
  listForbiddenUrls,
  PRIVATE_HOSTS,
  resolveCorpusHost,
} from '../../test/egress/ssrf-corpus.ts'
import { EgressError, type EgressStreamPolicy } from './egress.ts'

function streamPolicy(overrides: Partial<EgressStreamPolicy> = {}): EgressStreamPolicy {
  return {
    purpose: 'bundle',
    timeoutMs: 5_000,
    idleMs: 2_000,
    maxResponseBytes: 30_000_000,
    ...overrides,
  }
}

async function computeDigest(body: AsyncIterable<Uint8Array>): Promise<string> {
  const sum = createHash('sha256')
  for await (const chunk of body) sum.update(chunk)
  return sum.digest('hex')
}

/** Resolves with the error that reading a body ends with. */
async function getBodyError(body: AsyncIterable<Uint8Array>): Promise<EgressError> {
  try {
    for await (const _chunk of body);
  } catch (error) {
    if (error instanceof EgressError) return error
    throw error
  }
  throw new Error('the body ended without an error')
}

async function* blocks(count: number, block: Buffer): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < count; sent += 1) yield block
}

describe('EgressGateway.stream', () => {
  it('sends a request target byte for byte, and only if it is another spelling of the URL', async (test) => {
    const received: unknown[] = []
    const port = await serve(test, (request, response) => {
      received.push(request.url)
      response.end()
    })
    const egressGateway = openEgressGateway(test)
    const send = async (path: string, requestTarget: string) => {
      const url = new URL(`http://127.0.0.1:${port}${path}`).href
      const response = await egressGateway.stream(
        { method: 'GET', url, requestTarget },
        streamPolicy(),
      )
      await buffer(response.body)
    }
    const targets = ["/a'b?c='x'|y", '/a"<>`{}^|?q="<>', '/%41?%41', '/?', '//x']
    for (const target of targets) await send(target.replace(/^\/\/x$/, '/./' + '/x'), target)
    assert.deepEqual(received, targets)
    received.length = 0
    const other = [
      '/b',
      '/a?x',
      'http://evil.example/a',
      '//evil.example/a',
      '@evil.example/a',
      'a',
    ]
    for (const target of [
      ...other,
      '/a b',
      '/a#b',
      '/a\r\nX: y',
      '\\a',
      '/x/../a',
      '/a\u0100',
      '/\u00e9',
      '',
    ])
      assert.equal((await expectEgressError(send('/a', target))).code, 'refused', target)
    assert.deepEqual(received, [])
  })

  it('passes bodies through unchanged in both directions, with the declared length', async (test) => {
    const lengths: unknown[] = []
    const port = await serve(test, (request, response) => {
      lengths.push(request.headers['content-length'], request.headers['transfer-encoding'])
      request.pipe(response)
    })
    const bytes = randomBytes(3_000_000)
    const sum = createHash('sha256').update(bytes).digest('hex')
    const egressGateway = openEgressGateway(test)
    const url = `http://127.0.0.1:${port}/`
    for (const contentLength of [bytes.length, undefined]) {
      const body = Readable.from(blocks(3, bytes.subarray(0, 1_000_000)), { objectMode: false })
      const receivedDigest = createHash('sha256')
      for (let index = 0; index < 3; index += 1) receivedDigest.update(bytes.subarray(0, 1_000_000))
      const response = await egressGateway.stream(
        { method: 'POST', url, body, contentLength },
        streamPolicy(),
      )
      assert.equal(await computeDigest(response.body), receivedDigest.digest('hex'))
    }
    const bufferedResult = await egressGateway.stream(
      { method: 'PUT', url, body: bytes },
      streamPolicy(),
    )
    assert.equal(await computeDigest(bufferedResult.body), sum)
    assert.deepEqual(lengths, ['3000000', undefined, undefined, 'chunked', '3000000', undefined])
  })

  it('returns redirects and compressed bytes as received', async (test) => {
    const zipped = gzipSync('hello')
    const port = await serve(test, (_request, response) => {
      response.writeHead(302, { location: '/next', 'content-encoding': 'gzip' }).end(zipped)
    })
    const url = `http://127.0.0.1:${port}/`
    const response = await openEgressGateway(test).stream({ method: 'GET', url }, streamPolicy())
    assert.deepEqual([response.status, response.url], [302, url])
    assert.deepEqual(await buffer(response.body), zipped)
  })

  it('rejects the same requests as `request`, with the same messages', async (test) => {
    const egressGateway = openEgressGateway(test, { allow: [], resolve: resolveCorpusHost })
    const urls = [...PRIVATE_HOSTS.map((host) => `https://${host}/x`), ...listForbiddenUrls(443)]
    assert.ok(urls.length >= 250)
    for (const url of urls) {
      const bufferedResult = await expectEgressError(
        egressGateway.request({ method: 'GET', url }, createBundlePolicy()),
      )
      const streamed = await expectEgressError(
        egressGateway.stream({ method: 'GET', url }, streamPolicy()),
      )
      assert.deepEqual(
        [streamed.code, streamed.detail],
        [bufferedResult.code, bufferedResult.detail],
        url,
      )
      assert.equal(streamed.code, 'refused', url)
    }
    const port = await serve(test, (_request, response) => void response.end())
    const url = `http://127.0.0.1:${port}/`
    const open = openEgressGateway(test)
    const differentHostError = await expectEgressError(
      open.stream({ method: 'GET', url }, streamPolicy({ hosts: ['api.example.com'] })),
    )
    assert.equal(differentHostError.code, 'refused')
    const split = { method: 'GET', url, headers: { 'x-a': 'b\r\nc: d' } }
    assert.equal((await expectEgressError(open.stream(split, streamPolicy()))).code, 'refused')
  })

  it('reads no faster than its reader: 20 MB stay at the sender', async (test) => {
    let sent = 0
    const port = await serve(test, async (_request, response) => {
      const block = Buffer.alloc(64 * 1024)
      for (let index = 0; index < 320; index += 1) {
        sent += block.length
        if (!response.write(block)) await once(response, 'drain')
      }
      response.end()
    })
    const url = `http://127.0.0.1:${port}/`
    const response = await openEgressGateway(test).stream(
      { method: 'GET', url },
      streamPolicy({ idleMs: 100 }),
    )
    await sleep(400)
    assert.ok(sent < 12_000_000, `${sent} bytes were read ahead`)
    let size = 0
    for await (const chunk of response.body) size += (chunk as Uint8Array).length
    assert.equal(size, 320 * 64 * 1024)
  })

  it('waits between chunks as long as `pace` says, and ends at once when its reader leaves meanwhile', async (test) => {
    const block = randomBytes(64 * 1024)
    const port = await serve(test, (_request, response) => {
      Readable.from(blocks(160, block), { objectMode: false }).pipe(response)
    })
    const pauses: PromiseWithResolvers<void>[] = []
    let charged = 0
    const throttle = (bytes: number) => {
      charged += bytes
      if (charged < 1_000_000) return undefined
      pauses.push(Promise.withResolvers<void>())
      return pauses.at(-1)?.promise
    }
    const url = `http://127.0.0.1:${port}/`
    const open = () =>
      openEgressGateway(test).stream({ method: 'GET', url }, streamPolicy({ pace: throttle }))
    const { body } = await open()
    const received = computeDigest(body)
    await sleep(200)
    assert.equal(pauses.length, 1)
    assert.ok(charged < 1_200_000, `${charged} bytes`)
    const resumeTimer = setInterval(() => pauses.at(-1)?.resolve(), 1)
    const expectedDigest = createHash('sha256')
    for (let index = 0; index < 160; index += 1) expectedDigest.update(block)
    assert.equal(await received, expectedDigest.digest('hex'))
    assert.equal(charged, 160 * block.length)
    clearInterval(resumeTimer)
    const pauseCount = pauses.length
    const { body: abandoned } = await open()
    abandoned.deliver({ data: () => true, end() {}, fail() {} })
    while (pauses.length === pauseCount) await sleep(5)
    const ended = new Promise((resolve) => abandoned.onEnd(resolve))
    abandoned.destroy()
    pauses.at(-1)?.resolve()
    assert.equal(await ended, undefined)
  })

  it('reads a request body no faster than the server does', async (test) => {
    let bytesProduced = 0
    const port = await serve(test, () => {})
    async function* streamEndlessly(): AsyncGenerator<Buffer> {
      for (;;) {
        bytesProduced += 65_536
        yield Buffer.alloc(65_536)
      }
    }
    const body = Readable.from(streamEndlessly(), { objectMode: false })
    const url = `http://127.0.0.1:${port}/`
    const streamRequest = openEgressGateway(test).stream(
      { method: 'POST', url, body },
      streamPolicy({ timeoutMs: 500 }),
    )
    assert.equal((await expectEgressError(streamRequest)).code, 'timeout')
    assert.ok(bytesProduced < 16_000_000, `${bytesProduced} bytes were read`)
    assert.equal(body.destroyed, true)
  })

  it('stops at the limit, with or without Content-Length', async (test) => {
    const port = await serve(test, (request, response) => {
      if (request.url === '/said') response.setHeader('content-length', '2000')
      response.write(Buffer.alloc(1_000))
      response.end(Buffer.alloc(1_000))
    })
    const egressGateway = openEgressGateway(test)
    const send = (path: string, method = 'GET') =>
      egressGateway.stream(
        { method, url: `http://127.0.0.1:${port}${path}` },
        streamPolicy({ maxResponseBytes: 1_999 }),
      )
    assert.equal((await expectEgressError(send('/said'))).code, 'too_large')
    assert.equal((await getBodyError((await send('/')).body)).code, 'too_large')
    const head = await send('/said', 'HEAD')
    assert.equal((await buffer(head.body)).length, 0)
  })

  it('ends at the deadline and after an idle timeout, also in the middle of a body', async (test) => {
    const port = await serve(test, (_request, response) => void response.write('start'))
    const egressGateway = openEgressGateway(test)
    const url = `http://127.0.0.1:${port}/`
    for (const overrides of [{ timeoutMs: 200 }, { idleMs: 200 }]) {
      const started = performance.now()
      const response = await egressGateway.stream({ method: 'GET', url }, streamPolicy(overrides))
      assert.equal((await getBodyError(response.body)).code, 'timeout')
      assert.ok(performance.now() - started < 5_000)
    }
  })

  it('closes the connection when its reader or its caller aborts', async (test) => {
    const open: ServerResponse[] = []
    const port = await serve(test, (_request, response) => {
      open.push(response)
      response.write('start')
    })
    const egressGateway = openEgressGateway(test)
    const url = `http://127.0.0.1:${port}/`
    const left = await egressGateway.stream({ method: 'GET', url }, streamPolicy())
    left.body.destroy()
    const control = new AbortController()
    const truncatedResponse = await egressGateway.stream(
      { method: 'GET', url },
      streamPolicy({ signal: control.signal }),
    )
    control.abort()
    assert.equal((await getBodyError(truncatedResponse.body)).code, 'aborted')
    for (const response of open) if (!response.closed) await once(response, 'close')
    assert.equal(open.length, 2)
  })

  it('distinguishes a truncated body from a complete one', async (test) => {
    const port = await serve(test, (_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('start')
      setTimeout(() => response.destroy(), 50)
    })
    const url = `http://127.0.0.1:${port}/`
    const response = await openEgressGateway(test).stream({ method: 'GET', url }, streamPolicy())
    assert.equal((await getBodyError(response.body)).code, 'unreachable')
  })

  it('fails when the request body fails, and when the gateway closes', async (test) => {
    const port = await serve(test, (_request, response) => void response.write('start'))
    const url = `http://127.0.0.1:${port}/`
    const egressGateway = openEgressGateway(test)
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('x')
      throw new Error('the sender failed')
    }
    const port2 = await serve(test, () => {})
    const bad = {
      method: 'POST',
      url: `http://127.0.0.1:${port2}/`,
      body: Readable.from(failing()),
    }
    assert.equal(
      (await expectEgressError(egressGateway.stream(bad, streamPolicy()))).code,
      'unreachable',
    )
    const response = await egressGateway.stream({ method: 'GET', url }, streamPolicy())
    const end = getBodyError(response.body)
    await egressGateway.close()
    assert.equal((await end).code, 'aborted')
    assert.equal(
      (await expectEgressError(egressGateway.stream({ method: 'GET', url }, streamPolicy()))).code,
      'aborted',
    )
  })
})
