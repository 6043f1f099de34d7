import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROXY_LIMITS } from './proxy-limits.ts'
import { type ProxyWorld, startProxyWorld } from './test/proxy-world.ts'

const LIMITS = { totalMs: 1_200, idleMs: 400, maxBytes: 25_000_000 }

describe('the limits of the proxy', () => {
  let w: ProxyWorld
  /** Connections of the provider that have ended. */
  let over: Promise<void>
  before(async () => {
    w = await startProxyWorld({ proxyLimits: LIMITS })
  })
  after(() => w.close())
  beforeEach(() => {
    over = Promise.reject(new Error('the provider was not asked'))
    over.catch(() => {})
  })

  /** What the provider does, and `over` when its connection ends. */
  function play(act: (request: IncomingMessage, response: ServerResponse) => unknown): void {
    w.play((request, response) => {
      over = new Promise((resolve) => response.once('close', resolve))
      request.on('error', () => {})
      act(request, response)
    })
  }

  /** How long it took to break off, in milliseconds. */
  async function broken(tail: string): Promise<number> {
    const started = performance.now()
    await assert.rejects(w.ask(tail), { code: 'ECONNRESET' })
    return performance.now() - started
  }

  async function takesRequests(): Promise<void> {
    w.play((_request, response) => response.end('well'))
    assert.equal((await w.ask('x')).body.toString(), 'well')
  }

  it('are 60 s in all, 30 s of silence and 25 MB', () => {
    assert.deepEqual(PROXY_LIMITS, { totalMs: 60_000, idleMs: 30_000, maxBytes: 26_214_400 })
  })

  it('end in 504 provider_timeout when no answer begins, and the provider is let go', async () => {
    play(() => {})
    const started = performance.now()
    const answer = await w.ask('x')
    const took = performance.now() - started
    const { error, message } = JSON.parse(answer.body.toString())
    assert.deepEqual([answer.status, error], [504, 'provider_timeout'])
    assert.equal(answer.headers['linchpin-proxy'], 'linchpin')
    assert.doesNotMatch(message, /127\.0\.0\.1/)
    assert.ok(took > LIMITS.totalMs - 50 && took < LIMITS.totalMs + 6_000, `after ${took} ms`)
    await over
    await takesRequests()
  })

  it('count a head that comes in drops as none', async () => {
    play((request) => {
      request.socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => request.socket.write('x-a: b\r\n'), 100)
      request.socket.once('close', () => clearInterval(timer))
    })
    assert.equal((await w.ask('x')).status, 504)
    await over
  })

  for (const [how, headers] of [
    ['in chunks', {}],
    ['of a length that was said', { 'content-length': '10' }],
  ] as const)
    it(`break off an answer ${how} that falls silent, and never end it`, async () => {
      play((_request, response) => response.writeHead(200, headers).write('half'))
      const took = await broken('x')
      assert.ok(took > LIMITS.idleMs - 50 && took < LIMITS.totalMs, `after ${took} ms`)
      await over
      await takesRequests()
    })

  it('break off an answer that goes on for too long, however lively', async () => {
    play((_request, response) => {
      const timer = setInterval(() => response.write('data: x\n\n'), 50)
      response.once('close', () => clearInterval(timer))
    })
    const took = await broken('x')
    assert.ok(took > LIMITS.totalMs - 50 && took < LIMITS.totalMs + 6_000, `after ${took} ms`)
    await over
  })

  it('say 408 request_timeout when it is the caller who falls silent', async () => {
    play((request) => request.resume())
    const asked = w.open('x', { method: 'POST', headers: { 'content-length': '9000000' } })
    asked.on('error', () => {})
    asked.write(Buffer.alloc(2_000_000))
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const body = Buffer.concat(await response.toArray()).toString()
    assert.deepEqual([response.statusCode, JSON.parse(body).error], [408, 'request_timeout'])
    assert.equal(response.headers.connection, 'close')
    await over
    asked.destroy()
    await takesRequests()
  })

  it('say 504 provider_timeout when it is the provider who does not read', async () => {
    play((request) => request.pause())
    const asked = w.open('x', { method: 'POST', headers: { 'content-length': '20000000' } })
    asked.on('error', () => {})
    asked.write(Buffer.alloc(20_000_000))
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const body = Buffer.concat(await response.toArray()).toString()
    assert.deepEqual([response.statusCode, JSON.parse(body).error], [504, 'provider_timeout'])
    asked.destroy()
    await takesRequests()
  })
})

describe('the limit of silence', () => {
  let w: ProxyWorld
  before(async () => {
    w = await startProxyWorld({ proxyLimits: { ...LIMITS, totalMs: 30_000 } })
  })
  after(() => w.close())

  it('does not take a reader who pauses for a provider who is silent', async () => {
    w.play((_request, response) => response.end(Buffer.alloc(24_000_000)))
    const asked = w.open('x')
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    await sleep(LIMITS.idleMs * 1.5)
    assert.equal(Buffer.concat(await response.toArray()).length, 24_000_000)
  })

  it('lets a caller send slowly', async () => {
    w.play(async (request, response) => {
      let size = 0
      for await (const chunk of request) size += chunk.length
      response.end(String(size))
    })
    for (const block of [1_000, 300_000]) {
      const asked = w.open('x', { method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
      const answered = once(asked, 'response')
      for (let index = 0; index < 6; index += 1) {
        asked.write(Buffer.alloc(block))
        await sleep(LIMITS.idleMs / 4)
      }
      asked.end()
      const [response] = (await answered) as [IncomingMessage]
      assert.equal(Buffer.concat(await response.toArray()).toString(), String(6 * block))
    }
  })
})

describe('200 MB through the proxy', () => {
  const BLOCK = Buffer.alloc(256 * 1024)
  const TOTAL = 800 * BLOCK.length
  let w: ProxyWorld
  before(async () => {
    w = await startProxyWorld({ proxyLimits: { ...PROXY_LIMITS, maxBytes: TOTAL } })
    w.play(async (request, response) => {
      let size = 0
      for await (const chunk of request) size += chunk.length
      const count = Number(request.headers['x-blocks'])
      response.setHeader('x-size', String(size))
      for (let index = 0; index < count; index += 1)
        if (!response.write(BLOCK)) await once(response, 'drain')
      response.end()
    })
  })
  after(() => w.close())

  async function pass(up: number, down: number): Promise<{ sent: string; got: number }> {
    const headers = { 'transfer-encoding': 'chunked', 'x-blocks': String(down) }
    const asked = w.open('x', { method: 'POST', headers })
    const answered = once(asked, 'response')
    for (let index = 0; index < up; index += 1) if (!asked.write(BLOCK)) await once(asked, 'drain')
    asked.end()
    const [response] = (await answered) as [IncomingMessage]
    let got = 0
    for await (const chunk of response) got += chunk.length
    return { sent: String(response.headers['x-size']), got }
  }

  for (const [way, up, down] of [
    ['up', 800, 1],
    ['down', 8, 800],
  ] as const)
    it(`go ${way} in bounded memory: caller, provider and proxy together`, async (t) => {
      await pass(Math.min(up, 100), Math.min(down, 100))
      const start = process.memoryUsage.rss()
      let most = start
      const timer = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss())
      }, 20)
      const { sent, got } = await pass(up, down)
      clearInterval(timer)
      assert.deepEqual([sent, got], [String(up * BLOCK.length), down * BLOCK.length])
      const growth = (most - start) / 1_048_576
      t.diagnostic(`${growth.toFixed(0)} MB more at most`)
      assert.ok(growth < 100, `${growth} MB more`)
    })
})
