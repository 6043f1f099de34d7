import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { ApiError } from '../../platform/errors.ts'
import { type Release, RequestQueue } from './request-queue.ts'

/** A queue whose clock and event loop move only when a test moves them. */
function createTestQueue() {
  let now = 10_000
  let busyMs = 0
  let deferred: (() => void)[] = []
  let timers: (() => void)[] = []
  const queue = new RequestQueue({
    now: () => now,
    busyMs: () => busyMs,
    defer: (callback) => void deferred.push(callback),
    delay: (callback) => void timers.push(callback),
  })
  const started: string[] = []
  const active: Release[] = []
  const acquire = async (tenant: string, isShort = false) => {
    const admission = queue.acquire(tenant, isShort)
    const release = admission instanceof Promise ? await admission : admission
    started.push(tenant)
    active.push(release)
  }
  /** Lets time pass; without `ms` only the loop turns. */
  const advance = async (ms = 0) => {
    now += ms
    const due = ms > 0 ? [...deferred, ...timers] : deferred
    deferred = []
    if (ms > 0) timers = []
    for (const callback of due) callback()
    await new Promise((resolve) => setImmediate(resolve))
  }
  /** The event loop is busy for some time. */
  const work = (ms: number) => {
    now += ms
    busyMs += ms
  }
  const finishAll = () => {
    for (const release of active.splice(0)) release()
  }
  return { queue, started, enter: acquire, pass: advance, work, finishAll }
}

describe('RequestQueue', () => {
  it('starts all requests of a single tenant immediately', async () => {
    const t = createTestQueue()
    for (let count = 0; count < 3_000; count++)
      assert.ok(!(t.queue.acquire('a') instanceof Promise))
    assert.equal(t.queue.length, 0)
  })

  it('starts four requests of a tenant at a time, and those of another tenant at once', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    const all = Array.from({ length: 100 }, () => t.enter('loud'))
    await t.pass()
    assert.equal(t.started.length, 1 + 4)
    assert.ok(!(t.queue.acquire('quiet') instanceof Promise))
    t.finishAll()
    await t.pass()
    assert.equal(t.started.length, 1 + 8)
    while (t.queue.length > 0) {
      t.finishAll()
      await t.pass()
    }
    await Promise.all(all)
  })

  it('starts eight requests of all tenants at a time, and a new tenant before the queued requests of others', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    const tenants = ['first', 'second', 'third']
    const all = Array.from({ length: 99 }, (_, index) => t.enter(tenants[index % 3] ?? ''))
    await t.pass()
    assert.equal(t.started.length, 1 + 8)
    all.push(t.enter('quiet'))
    t.finishAll()
    await t.pass()
    assert.equal(t.started.length, 1 + 16)
    assert.ok(t.started.slice(9).includes('quiet'), t.started.join(' '))
    while (t.queue.length > 0) {
      t.finishAll()
      await t.pass()
    }
    await Promise.all(all)
  })

  it('serves tenants with queued requests equally, regardless of their number and order', async () => {
    const t = createTestQueue()
    const numbers: Record<string, number> = { a: 300, b: 60, c: 150 }
    const remaining = Object.entries(numbers).flatMap(([name, count]) => Array(count).fill(name))
    let seed = 42
    const random = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % limit
    }
    const all: Promise<void>[] = []
    while (remaining.length > 0) all.push(t.enter(remaining.splice(random(remaining.length), 1)[0]))
    while (t.queue.length > 0) {
      t.finishAll()
      await t.pass()
    }
    await Promise.all(all)
    const fairSlice = t.started.slice(20, 170)
    for (const name of Object.keys(numbers)) {
      const count = fairSlice.filter((each) => each === name).length
      assert.ok(Math.abs(count - 50) <= 10, `${name}: ${count} of 150`)
    }
  })

  it('counts a long request as active for 20 ms only', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    const all = Array.from({ length: 8 }, () => t.enter('loud'))
    await t.pass()
    assert.equal(t.started.length, 1 + 4)
    await t.pass(19)
    assert.equal(t.started.length, 1 + 4)
    await t.pass(1)
    assert.equal(t.started.length, 1 + 8)
    await Promise.all(all)
  })

  it('queues a few requests of a tenant even after a pause of the machine', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    const all = Array.from({ length: 40 }, () => t.enter('loud'))
    await t.pass(5_000)
    assert.ok(t.queue.length > 30)
    all.push(...Array.from({ length: 20 }, () => t.enter('loud')))
    while (t.queue.length > 0) {
      t.finishAll()
      await t.pass()
    }
    await Promise.all(all)
    assert.equal(t.queue.rejectedCount, 0)
  })

  it('rejects only requests of a tenant that would wait for more than two seconds, with the wait as Retry-After', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    const all = Array.from({ length: 200 }, () => t.enter('loud'))
    for (let round = 0; round < 6; round++) {
      t.finishAll()
      await t.pass(200)
    }
    assert.throws(
      () => t.queue.acquire('loud'),
      (error) => {
        assert.ok(error instanceof ApiError && error.code === 'overloaded')
        const seconds = Number(error.headers['retry-after'])
        assert.ok(seconds > 2 && seconds < 20, `${seconds} s`)
        return true
      },
    )
    all.push(t.enter('quiet'))
    while (t.queue.length > 0) {
      t.finishAll()
      await t.pass()
    }
    await Promise.all(all)
    t.finishAll()
    assert.equal(t.queue.rejectedCount, 1)
    assert.ok(!(t.queue.acquire('loud') instanceof Promise), 'a tenant is served again afterwards')
  })

  it('lets no tenant use more than half of the main thread while another is served', async () => {
    const t = createTestQueue()
    const { loudMs, elapsedMs } = await runRounds(t, { rounds: 1_000, isServed: () => true })
    assert.ok(loudMs / elapsedMs > 0.45 && loudMs / elapsedMs < 0.56, `${loudMs / elapsedMs}`)
  })

  it('gives a tenant what others leave of the main thread, and takes it back with their next request', async () => {
    const t = createTestQueue()
    const free = await runRounds(t, { rounds: 100, isServed: (round) => round % 50 === 0 })
    assert.ok(free.loudMs / free.elapsedMs > 0.8, `${free.loudMs / free.elapsedMs}`)
    const shared = await runRounds(t, { rounds: 100, isServed: () => true })
    assert.ok(shared.loudMs / shared.elapsedMs < 0.56, `${shared.loudMs / shared.elapsedMs}`)
  })

  it('leaves half of the main thread to a request in progress, for a second', async () => {
    const t = createTestQueue()
    t.queue.acquire('loud')
    t.queue.acquire('quiet')
    const shared = await runRounds(t, { rounds: 400, isServed: () => false })
    assert.ok(shared.elapsedMs < 1_000, `${shared.elapsedMs} ms`)
    assert.ok(shared.loudMs / shared.elapsedMs < 0.6, `${shared.loudMs / shared.elapsedMs}`)
    await t.pass(1_000)
    const free = await runRounds(t, { rounds: 100, isServed: () => false })
    assert.ok(free.loudMs / free.elapsedMs > 0.8, `${free.loudMs / free.elapsedMs}`)
  })

  it('does not count the request in progress of a tenant as that of another one', async () => {
    const t = createTestQueue()
    t.queue.acquire('quiet')
    t.queue.acquire('loud')
    await t.pass(1_000)
    t.queue.acquire('loud')
    await t.pass(30)
    const free = await runRounds(t, { rounds: 100, isServed: () => false })
    assert.ok(free.loudMs / free.elapsedMs > 0.8, `${free.loudMs / free.elapsedMs}`)
  })

  it('charges a tenant for its requests, not for what the event loop does without any', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    t.finishAll()
    t.work(10_000)
    await t.enter('loud')
    await t.pass(1)
    t.finishAll()
    t.work(10_000)
    const holding = t.queue.acquire('quiet')
    assert.ok(!(holding instanceof Promise))
    assert.ok(!(t.queue.acquire('loud') instanceof Promise))
  })

  it('charges a tenant for the requests that are rejected', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    for (let index = 0; t.queue.length < 2_000; index++) t.queue.acquire(`tenant ${index}`)
    assert.equal(t.queue.pace('loud', 0), undefined)
    for (let count = 0; count < 800; count++) assert.throws(() => t.queue.acquire('loud'), ApiError)
    t.work(60)
    assert.ok(t.queue.pace('loud', 0) instanceof Promise)
    assert.equal(t.queue.pace('other', 0), undefined)
  })

  it('starts thirty-two short requests of a tenant at a time', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    const isStarted = () => !(t.queue.acquire('loud', true) instanceof Promise)
    assert.equal(Array.from({ length: 40 }, isStarted).filter(Boolean).length, 32)
    await t.pass()
    assert.ok(!(t.queue.acquire('other') instanceof Promise))
  })

  it('lets tenants take turns whose shares are used up when no other is served', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    t.finishAll()
    const all = Array.from({ length: 400 }, (_, index) => t.enter(index % 2 === 0 ? 'a' : 'b'))
    t.finishAll()
    for (let round = 0; round < 40; round++) {
      const { length } = t.started
      await t.pass(1)
      assert.ok(t.started.length > length, `round ${round}: the thread was idle`)
      t.work(20)
      t.finishAll()
    }
    const served = t.started.slice(1)
    const ofA = served.filter((each) => each === 'a').length
    assert.ok(Math.abs(ofA - served.length / 2) <= 8, `${ofA} of ${served.length}`)
    while (t.queue.length > 0) {
      t.finishAll()
      await t.pass(1)
    }
    await Promise.all(all)
  })

  it('paces the bytes of a tenant that uses more than its share, unless it is alone', async () => {
    const t = createTestQueue()
    await t.enter('loud')
    for (let sent = 0; sent < 100; sent++) assert.equal(t.queue.pace('loud', 10_000_000), undefined)
    await t.enter('quiet')
    let pause: Promise<void> | undefined
    let sentBytes = 0
    for (; pause === undefined; sentBytes += 1_000_000) pause = t.queue.pace('loud', 1_000_000)
    assert.ok(sentBytes > 5_000_000 && sentBytes < 20_000_000, `${sentBytes} bytes at once`)
    assert.equal(t.queue.pace('quiet', 1_000_000), undefined)
    await t.pass(60)
    await pause
    await t.pass(10_000)
    assert.equal(
      t.queue.pace('loud', 100_000_000),
      undefined,
      'the other tenants are no longer active',
    )
  })

  it('has room for other tenants when one has a thousand queued requests', async () => {
    const t = createTestQueue()
    await t.enter('quiet')
    let rejectedCount = 0
    for (let count = 0; count < 3_000; count++) {
      try {
        t.queue.acquire('loud')
      } catch {
        rejectedCount++
      }
    }
    assert.equal(t.queue.length, 1_000)
    assert.equal(rejectedCount, 3_000 - 1_000 - 4)
    t.enter('quiet')
    assert.equal(t.queue.length, 1_001)
  })
})

/**
 * One tenant always has requests queued, each of which keeps the event loop busy for 5 ms. The other one has an active request
 * in the rounds that say so, and never waits for it.
 */
async function runRounds(
  t: ReturnType<typeof createTestQueue>,
  { rounds, isServed }: { rounds: number; isServed: (round: number) => boolean },
): Promise<{ loudMs: number; elapsedMs: number }> {
  await t.enter('quiet')
  let loudMs = 0
  for (let round = 0; round < rounds; round++) {
    while (t.queue.length < 20) void t.enter('loud')
    t.finishAll()
    const { length } = t.started
    if (isServed(round)) void t.enter('quiet', true)
    await t.pass(1)
    const started = t.started.slice(length)
    assert.equal(
      started.includes('quiet'),
      isServed(round),
      `round ${round}: the quiet tenant waited`,
    )
    const startedMs = 5 * started.filter((name) => name === 'loud').length
    t.work(startedMs)
    loudMs += startedMs
  }
  return { loudMs, elapsedMs: rounds + loudMs }
}

describe('A service under a flood of requests from one tenant', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  it('responds to another tenant before most of them, and still returns 400, 401 and 404', async () => {
    const { token } = await t.otherUser()
    const order: string[] = []
    const send = async (
      name: string,
      path: string,
      options: { token?: string; body?: unknown },
    ) => {
      const { status } = await t.call(options.body ? 'POST' : 'GET', path, options)
      order.push(name)
      return status
    }
    await t.call('GET', '/v1/user', { token })
    const hostileRequests = Array.from({ length: 150 }, () => send('loud', '/v1/user', {}))
    const quietRequests = [
      send('quiet', '/v1/user', { token }),
      send('quiet', '/v1/link/unknown', { token }),
      send('quiet', '/v1/workspace', { token, body: { name: 7 } }),
      send('quiet', '/v1/user', { token: 'wrong' }),
    ]
    assert.deepEqual(await Promise.all(quietRequests), [200, 404, 400, 401])
    const before = order.filter((name) => name === 'loud').length
    assert.ok(before < 75, `${before} of 150 requests were answered first`)
    assert.ok((await Promise.all(hostileRequests)).every((status) => status === 200))
    const { text } = await t.call('GET', '!/metrics')
    assert.match(text, /^linchpin_http_queued_requests 0$/m)
    assert.match(text, /^linchpin_http_refused_requests_total 0$/m)
  })
})
