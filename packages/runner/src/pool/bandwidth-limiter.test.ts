import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BandwidthLimiter, type BandwidthPermit } from './request-limits.ts'

const MB = 1_000_000

describe('BandwidthLimiter', () => {
  it('lets a workspace load a burst at once, then 8 MB per second, in the order of its requests', async () => {
    const clock = createClock()
    const limiter = new BandwidthLimiter(clock)
    for (let request = 0; request < 8; request++) (await limiter.acquire('a')).done(MB)
    const started: number[] = []
    for (let request = 0; request < 4; request++)
      void limiter.acquire('a').then((permit) => {
        started.push(request)
        permit.done(MB)
      })
    for (const [ms, expected] of [
      [0, 0],
      [2, 1],
      [100, 1],
      [130, 2],
      [260, 3],
      [390, 4],
    ] as const) {
      await clock.advanceTo(ms)
      assert.equal(started.length, expected, `after ${ms} ms`)
    }
    assert.deepEqual(started, [0, 1, 2, 3])
  })

  it('does not make a workspace wait for the responses of another one', async () => {
    const limiter = new BandwidthLimiter(createClock())
    ;(await limiter.acquire('a')).done(50 * MB)
    let isGranted = false
    void limiter.acquire('a').then(() => {
      isGranted = true
    })
    ;(await limiter.acquire('b')).done(MB)
    assert.equal(isGranted, false)
  })

  it('counts a request in flight as an average response', async () => {
    const clock = createClock()
    const limiter = new BandwidthLimiter(clock)
    for (let request = 0; request < 30; request++) (await limiter.acquire('a')).done(MB / 5)
    await clock.advanceTo(10_000)
    let inFlight = 0
    for (let request = 0; request < 500; request++) void limiter.acquire('a').then(() => inFlight++)
    await nextTurn()
    assert.ok(
      inFlight > 30 && inFlight < 60,
      `${inFlight} requests of 200 kB share a burst of 8 MB`,
    )
  })

  it('never delays small responses', async () => {
    const limiter = new BandwidthLimiter(createClock())
    const permits: BandwidthPermit[] = []
    for (let request = 0; request < 2_000; request++) permits.push(await limiter.acquire('a'))
    for (const permit of permits) permit.done(2_000)
  })

  it('evicts workspaces without traffic', async () => {
    const clock = createClock()
    const limiter = new BandwidthLimiter(clock)
    for (let workspace = 0; workspace < 5_000; workspace++) {
      ;(await limiter.acquire(`workspace-${workspace}`)).done(MB)
      await clock.advanceTo(clock.now() + 1)
    }
    assert.ok(limiter.size <= 1_000, `${limiter.size} workspaces are tracked`)
  })
})

function createClock() {
  let now = 0
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  return {
    now: () => now,
    schedule: (callback: () => void, ms: number) => void timers.add({ at: now + ms, callback }),
    async advanceTo(ms: number) {
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= ms).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.callback()
        await nextTurn()
      }
      now = ms
    },
  }
}
