import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PROXY_LIMITS } from './send-to-provider.ts'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

const LIMITS = { totalMs: 1_200, idleMs: 400, maxBytes: 25_000_000 }

describe('limits of the proxy', () => {
  let proxy: ProxyTestContext
  /** Resolves when the latest connection to the provider closes. */
  let providerClosed: Promise<void>
  before(async () => {
    proxy = await startProxyTestContext({ proxyLimits: LIMITS })
  })
  after(() => proxy.close())
  beforeEach(() => {
    providerClosed = Promise.reject(new Error('the provider received no request'))
    providerClosed.catch(() => {})
  })

  /** Sets the request handler of the provider and tracks its connection. */
  function setProviderHandler(
    handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  ): void {
    proxy.setProviderHandler((request, response) => {
      providerClosed = new Promise((resolve) => response.once('close', resolve))
      request.on('error', () => {})
      handler(request, response)
    })
  }

  /** Resolves to the time until the connection closed, in milliseconds. */
  async function timeUntilReset(path: string): Promise<number> {
    const started = performance.now()
    await assert.rejects(proxy.send(path), { code: 'ECONNRESET' })
    return performance.now() - started
  }

  async function assertServing(): Promise<void> {
    proxy.setProviderHandler((_request, response) => response.end('well'))
    assert.equal((await proxy.send('x')).body.toString(), 'well')
  }

  it('are 60 s in total, 30 s without data and 25 MB', () => {
    assert.deepEqual(PROXY_LIMITS, { totalMs: 60_000, idleMs: 30_000, maxBytes: 26_214_400 })
  })

  it("504 provider_timeout if no response starts, and the provider's connection is closed", async () => {
    setProviderHandler(() => {})
    const started = performance.now()
    const response = await proxy.send('x')
    const elapsedMs = performance.now() - started
    const { error, message } = JSON.parse(response.body.toString())
    assert.deepEqual([response.status, error], [504, 'provider_timeout'])
    assert.equal(response.headers['linchpin-proxy'], 'linchpin')
    assert.doesNotMatch(message, /127\.0\.0\.1/)
    assert.ok(
      elapsedMs > LIMITS.totalMs - 50 && elapsedMs < LIMITS.totalMs + 6_000,
      `after ${elapsedMs} ms`,
    )
    await providerClosed
    await assertServing()
  })

  it('504 provider_timeout if the head arrives too slowly', async () => {
    setProviderHandler((request) => {
      request.socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => request.socket.write('x-a: b\r\n'), 100)
      request.socket.once('close', () => clearInterval(timer))
    })
    assert.equal((await proxy.send('x')).status, 504)
    await providerClosed
  })

  for (const [encoding, headers] of [
    ['in chunks', {}],
    ['with a content length', { 'content-length': '10' }],
  ] as const)
    it(`a response ${encoding} that stalls is aborted, never completed`, async () => {
      setProviderHandler((_request, response) => response.writeHead(200, headers).write('half'))
      const elapsedMs = await timeUntilReset('x')
      assert.ok(
        elapsedMs > LIMITS.idleMs - 50 && elapsedMs < LIMITS.totalMs,
        `after ${elapsedMs} ms`,
      )
      await providerClosed
      await assertServing()
    })

  it('a response that takes too long is aborted even if data keeps arriving', async () => {
    setProviderHandler((_request, response) => {
      const timer = setInterval(() => response.write('data: x\n\n'), 50)
      response.once('close', () => clearInterval(timer))
    })
    const elapsedMs = await timeUntilReset('x')
    assert.ok(
      elapsedMs > LIMITS.totalMs - 50 && elapsedMs < LIMITS.totalMs + 6_000,
      `after ${elapsedMs} ms`,
    )
    await providerClosed
  })

  it('408 request_timeout if the caller stalls', async () => {
    setProviderHandler((request) => request.resume())
    const clientRequest = proxy.openRequest('x', {
      method: 'POST',
      headers: { 'content-length': '9000000' },
    })
    clientRequest.on('error', () => {})
    clientRequest.write(Buffer.alloc(2_000_000))
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    const body = Buffer.concat(await response.toArray()).toString()
    assert.deepEqual([response.statusCode, JSON.parse(body).error], [408, 'request_timeout'])
    assert.equal(response.headers.connection, 'close')
    await providerClosed
    clientRequest.destroy()
    await assertServing()
  })

  it('504 provider_timeout if the provider does not read', async () => {
    setProviderHandler((request) => request.pause())
    const clientRequest = proxy.openRequest('x', {
      method: 'POST',
      headers: { 'content-length': '20000000' },
    })
    clientRequest.on('error', () => {})
    clientRequest.write(Buffer.alloc(20_000_000))
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    const body = Buffer.concat(await response.toArray()).toString()
    assert.deepEqual([response.statusCode, JSON.parse(body).error], [504, 'provider_timeout'])
    clientRequest.destroy()
    await assertServing()
  })
})

describe('idle limit of the proxy', () => {
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext({ proxyLimits: { ...LIMITS, totalMs: 30_000 } })
  })
  after(() => proxy.close())

  it('does not apply while the caller pauses reading', async () => {
    proxy.setProviderHandler((_request, response) => response.end(Buffer.alloc(24_000_000)))
    const clientRequest = proxy.openRequest('x')
    clientRequest.end()
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    await sleep(LIMITS.idleMs * 1.5)
    assert.equal(Buffer.concat(await response.toArray()).length, 24_000_000)
  })

  it('does not apply while the caller sends slowly', async () => {
    proxy.setProviderHandler(async (request, response) => {
      let size = 0
      for await (const chunk of request) size += chunk.length
      response.end(String(size))
    })
    for (const block of [1_000, 300_000]) {
      const clientRequest = proxy.openRequest('x', {
        method: 'POST',
        headers: { 'transfer-encoding': 'chunked' },
      })
      const responsePromise = once(clientRequest, 'response')
      for (let index = 0; index < 6; index += 1) {
        clientRequest.write(Buffer.alloc(block))
        await sleep(LIMITS.idleMs / 4)
      }
      clientRequest.end()
      const [response] = (await responsePromise) as [IncomingMessage]
      assert.equal(Buffer.concat(await response.toArray()).toString(), String(6 * block))
    }
  })
})

describe('200 MB through the proxy', () => {
  const BLOCK = Buffer.alloc(256 * 1024)
  const TOTAL = 800 * BLOCK.length
  let proxy: ProxyTestContext
  before(async () => {
    proxy = await startProxyTestContext({ proxyLimits: { ...PROXY_LIMITS, maxBytes: TOTAL } })
    proxy.setProviderHandler(async (request, response) => {
      let size = 0
      for await (const chunk of request) size += chunk.length
      const count = Number(request.headers['x-blocks'])
      response.setHeader('x-size', String(size))
      for (let index = 0; index < count; index += 1)
        if (!response.write(BLOCK)) await once(response, 'drain')
      response.end()
    })
  })
  after(() => proxy.close())

  async function transfer(
    uploadBlocks: number,
    downloadBlocks: number,
  ): Promise<{ uploaded: string; received: number }> {
    const headers = { 'transfer-encoding': 'chunked', 'x-blocks': String(downloadBlocks) }
    const clientRequest = proxy.openRequest('x', { method: 'POST', headers })
    const responsePromise = once(clientRequest, 'response')
    for (let index = 0; index < uploadBlocks; index += 1)
      if (!clientRequest.write(BLOCK)) await once(clientRequest, 'drain')
    clientRequest.end()
    const [response] = (await responsePromise) as [IncomingMessage]
    let received = 0
    for await (const chunk of response) received += chunk.length
    return { uploaded: String(response.headers['x-size']), received }
  }

  for (const [direction, uploadBlocks, downloadBlocks] of [
    ['up', 800, 1],
    ['down', 8, 800],
  ] as const)
    it(`${direction}: the memory of caller, provider and proxy together stays bounded`, async (t) => {
      await transfer(Math.min(uploadBlocks, 100), Math.min(downloadBlocks, 100))
      const start = process.memoryUsage().arrayBuffers
      let peak = 0
      const timer = setInterval(() => {
        peak = Math.max(peak, measureGrowth(start))
      }, 20)
      const { uploaded, received } = await transfer(uploadBlocks, downloadBlocks)
      clearInterval(timer)
      assert.deepEqual(
        [uploaded, received],
        [String(uploadBlocks * BLOCK.length), downloadBlocks * BLOCK.length],
      )
      const growth = peak / 1_048_576
      t.diagnostic(`${growth.toFixed(0)} MB more at most`)
      assert.ok(peak < MAX_GROWTH, `${growth} of 200 MB more`)
    })
})

const MAX_GROWTH = 120 * 1_048_576

/** The bytes in use since `start`. What looks like too much may be what V8 has yet to collect, as in a process of many tests. */
function measureGrowth(start: number): number {
  const growth = process.memoryUsage().arrayBuffers - start
  if (growth < MAX_GROWTH) return growth
  collectGarbage()
  return process.memoryUsage().arrayBuffers - start
}

const collectGarbage = createGarbageCollector()

function createGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
