import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRandom } from '../../../test/create-random.ts'
import { type Release, RequestQueue } from './request-queue.ts'

describe('The queue of requests under random schedules', () => {
  it('lets the first queued request of a tenant wait for a bounded time of each other tenant', () =>
    forEachSchedule(async (schedule) => {
      for (const { tenant, waitedFor } of (await run(schedule)).started)
        for (const [other, ms] of waitedFor)
          assert.ok(
            other === tenant || ms <= MAX_AHEAD_MS,
            `${tenant} waited ${ms} ms for ${other}`,
          )
    }))

  it('starts every request that it does not reject, and rejects only those of tenants with many queued', () =>
    forEachSchedule(async (schedule) => {
      const { started, rejected } = await run(schedule)
      assert.equal(started.length + rejected.length, schedule.length)
      for (const { tenant, queuedCount } of rejected) assert.ok(queuedCount >= 64, tenant)
      // Alone, the thread would need as long for what each of them may have used before.
      for (const { tenant, waitedMs } of started)
        assert.ok(waitedMs <= MAX_TENANTS * MAX_AHEAD_MS, `${tenant} waited ${waitedMs} ms`)
    }))

  it('leaves the thread idle only for places that are taken, and for a tenant that has nothing queued', () =>
    forEachSchedule(async (schedule) => {
      const { idleMs } = await run(schedule)
      assert.ok(idleMs <= 3, `${idleMs} ms`)
    }))

  it('counts as before when all have ended', () =>
    forEachSchedule(async (schedule) => {
      const { queue } = await run(schedule)
      const start = (tenant: string) => !(queue.acquire(tenant) instanceof Promise)
      assert.deepEqual(Array.from('aaaabbbbc', start), [...Array(8).fill(true), false])
    }))
})

const SCHEDULES = 25
const MAX_TENANTS = 6
const MAX_COST_MS = 12
/** Longer than all requests of a schedule take one after the other. */
const MAX_RUN_MS = 20_000
/**
 * A tenant is ahead of its share by 100 ms at most, and by what its four active requests add while it waits, of which each
 * tenant with queued requests takes its part of the time; another one may be behind by 50 ms, and eight requests run before the
 * thread is measured again.
 */
const MAX_AHEAD_MS = (100 + 4 * MAX_COST_MS) * MAX_TENANTS + 50 + 8 * MAX_COST_MS

interface Sent {
  readonly at: number
  readonly tenant: string
  /** Of the thread. */
  readonly costMs: number
  /** How long it is in progress after that. */
  readonly latencyMs: number
  readonly isShort: boolean
}

interface Started extends Sent {
  readonly startedAt: number
  /** How long it was the first of its tenant in the queue. */
  readonly waitedMs: number
  /** What each tenant started meanwhile, in milliseconds of the thread. */
  readonly waitedFor: ReadonlyMap<string, number>
}

interface Rejected extends Sent {
  readonly queuedCount: number
}

async function forEachSchedule(check: (schedule: readonly Sent[]) => Promise<void>): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = createRandom(seed)
  for (let index = 0; index < SCHEDULES; index += 1)
    try {
      await check(createSchedule(random))
    } catch (error) {
      throw new Error(`seed ${seed}, schedule ${index}`, { cause: error })
    }
}

/** Tenants with few or many requests, at once or over time, which use the thread, or are in progress without using it. */
function createSchedule(random: () => number): Sent[] {
  const tenants = Array.from({ length: 2 + Math.floor(random() * (MAX_TENANTS - 1)) })
  const schedule = tenants.flatMap((_, index) => {
    const count = Math.ceil(random() ** 2 * 400)
    const [everyMs, costMs] = [random() * 10, random() * MAX_COST_MS]
    const latencyMs = random() < 0.5 ? 0 : random() * 60
    const isShort = random() < 0.3
    let at = START + random() * 500
    return Array.from({ length: count }, () => {
      if (random() < 0.7) at += random() * everyMs
      return { at, tenant: `tenant ${index}`, costMs: costMs * random(), latencyMs, isShort }
    })
  })
  return schedule.toSorted((a, b) => a.at - b.at)
}

const START = 10_000

/** A thread whose time is used by nothing but requests, which a queue shares. */
class SimulatedThread {
  now = START
  readonly started: Started[] = []
  readonly rejected: Rejected[] = []
  /** How long it was idle at most while a queued request could have started. */
  idleMs = 0
  readonly queue = new RequestQueue({
    now: () => this.now,
    busyMs: () => this.#busyMs,
    defer: (callback) => void this.#timers.push({ at: this.now, callback }),
    delay: (callback, ms) => void this.#timers.push({ at: this.now + ms, callback }),
  })
  #busyMs = 0
  #idleSince: number | undefined
  readonly #timers: { readonly at: number; readonly callback: () => void }[] = []
  /** Those that have started and will use the thread. */
  readonly #ready: { readonly request: Started; readonly release: Release }[] = []
  /** Those that have used it. */
  #inProgress: { readonly request: Started; readonly until: number; readonly release: Release }[] =
    []
  readonly #used = new Map<string, number>()
  /** The first queued request of each tenant: since when it is, and what tenants had started until then. */
  readonly #heads = new Map<
    string,
    { readonly since: number; readonly used: ReadonlyMap<string, number> }
  >()
  readonly #queuedCounts = new Map<string, number>()

  get isIdle(): boolean {
    return this.queue.length + this.#ready.length + this.#inProgress.length === 0
  }

  send(sent: Sent): void {
    const queuedCount = this.#queuedCounts.get(sent.tenant) ?? 0
    let turn: Release | Promise<Release>
    try {
      turn = this.queue.acquire(sent.tenant, sent.isShort)
    } catch {
      this.rejected.push({ ...sent, queuedCount })
      return
    }
    if (!(turn instanceof Promise)) {
      this.#start(sent, turn)
      return
    }
    if (queuedCount === 0) this.#startWaiting(sent.tenant)
    this.#queuedCounts.set(sent.tenant, queuedCount + 1)
    turn.then((release) => {
      this.#start(sent, release)
      this.#queuedCounts.set(sent.tenant, (this.#queuedCounts.get(sent.tenant) ?? 0) - 1)
      this.#startWaiting(sent.tenant)
    })
  }

  /** One iteration of the event loop. */
  async turn(): Promise<void> {
    for (const { callback } of this.#takeDue()) callback()
    await new Promise(setImmediate)
    const ended = this.#inProgress.filter(({ until }) => until <= this.now)
    this.#inProgress = this.#inProgress.filter(({ until }) => until > this.now)
    for (const { release } of ended) release()
    this.#recordIdleness()
    if (this.#ready.length === 0) this.now += 0.5
    for (const { request, release } of this.#ready.splice(0)) {
      this.now += request.costMs
      this.#busyMs += request.costMs
      if (request.latencyMs === 0) release()
      else this.#inProgress.push({ request, until: this.now + request.latencyMs, release })
    }
  }

  #start(sent: Sent, release: Release): void {
    const isQueued = this.#queuedCounts.get(sent.tenant) ?? 0
    const { since = this.now, used = this.#used } =
      isQueued > 0 ? (this.#heads.get(sent.tenant) ?? {}) : {}
    const waitedFor = [...this.#used].map(
      ([name, ms]) => [name, ms - (used.get(name) ?? 0)] as const,
    )
    const request = {
      ...sent,
      startedAt: this.now,
      waitedMs: this.now - since,
      waitedFor: new Map(waitedFor),
    }
    this.started.push(request)
    this.#used.set(sent.tenant, (this.#used.get(sent.tenant) ?? 0) + sent.costMs)
    this.#ready.push({ request, release })
  }

  #startWaiting(tenant: string): void {
    this.#heads.set(tenant, { since: this.now, used: new Map(this.#used) })
  }

  #takeDue() {
    const due = this.#timers.filter(({ at }) => at <= this.now)
    for (const timer of due) this.#timers.splice(this.#timers.indexOf(timer), 1)
    return due
  }

  #recordIdleness(): void {
    if (this.#ready.length > 0 || !this.#couldStart()) this.#idleSince = undefined
    else this.#idleSince ??= this.now
    this.idleMs = Math.max(this.idleMs, this.now - (this.#idleSince ?? this.now))
  }

  #couldStart(): boolean {
    const isQueued = (tenant: string) => (this.#queuedCounts.get(tenant) ?? 0) > 0
    if (this.#inProgress.some(({ request }) => !isQueued(request.tenant))) return false
    const countPlaces = (tenant?: string) =>
      this.#inProgress
        .map(({ request }) => request)
        .filter((each) => each.startedAt > this.now - 20 && each.tenant === (tenant ?? each.tenant))
        .reduce((sum, { isShort }) => sum + (isShort ? 1 / 8 : 1), 0)
    const names = [...this.#queuedCounts.keys()].filter(isQueued)
    return countPlaces() < 8 && names.some((name) => countPlaces(name) < 4)
  }
}

/** Sends all requests, and waits until a second after the last has ended. */
async function run(schedule: readonly Sent[]): Promise<SimulatedThread> {
  const thread = new SimulatedThread()
  for (const sent of schedule) {
    while (thread.now < sent.at) await thread.turn()
    thread.send(sent)
  }
  while (!thread.isIdle) {
    assert.ok(thread.now < START + MAX_RUN_MS, `${thread.queue.length} are still queued`)
    await thread.turn()
  }
  thread.now += 1_000
  return thread
}
