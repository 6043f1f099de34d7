import { FairQueue, Presence } from '@linchpin/runner'
import { ApiError } from '../errors.ts'

/** What a request queue needs from outside. */
export interface RequestQueueDeps {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Calls back in the next turn of the event loop. */
  readonly defer: (callback: () => void) => void
  /** Calls back after some milliseconds. */
  readonly delay: (callback: () => void, ms: number) => void
}

/** Ends the time in which a request counts as active. May be called more than once. */
export type Release = () => void

/**
 * Shares the main thread between tenants: few requests are active at a time, and the others start tenant after tenant
 * (start-time fair queuing), so a request waits for a few requests of each other tenant, however many those have sent. A
 * request that takes long stops counting: it waits for a provider, a bundle or the database. A tenant that is alone
 * never waits.
 */
export class RequestQueue {
  readonly #deps: RequestQueueDeps
  readonly #queue = new FairQueue<QueuedRequest>()
  readonly #presence = new Presence()
  /** Starts of the active requests, the oldest first. */
  readonly #active = new Set<ActiveRequest>()
  /** How long a waiting request takes from one place to the next, by tenant with waiting requests. */
  readonly #stepMs = new Map<string, number>()
  #isDrainPlanned = false
  #isExpiryPlanned = false
  /** Requests that were refused so far. */
  rejectedCount = 0

  constructor(deps: RequestQueueDeps) {
    this.#deps = deps
  }

  /** Requests that wait. */
  get length(): number {
    return this.#queue.length
  }

  /**
   * Starts a request of a tenant: at once, or when its turn comes.
   *
   * @throws ApiError `overloaded` when the tenant has too many waiting requests
   */
  acquire(tenant: string): Release | Promise<Release> {
    const now = this.#deps.now()
    const isAlone = this.#presence.note(tenant, now)
    if (this.#queue.length === 0) {
      if (isAlone) return NOOP_RELEASE
      this.#expire(now)
      if (this.#active.size < MAX_ACTIVE) return this.#start(tenant, now)
    }
    this.#refuseLongWait(tenant)
    const { promise, resolve } = Promise.withResolvers<Release>()
    const aheadCount = this.#queue.lengthOf(tenant)
    this.#queue.enqueue(tenant, { tenant, queuedAt: now, aheadCount, resolve })
    this.#planDrain()
    return promise
  }

  #start(tenant: string, at: number): Release {
    this.#queue.charge(tenant, 1)
    return this.#activate(at)
  }

  #activate(at: number): Release {
    const active = { at }
    this.#active.add(active)
    return () => {
      if (this.#active.delete(active) && this.#queue.length > 0) this.#planDrain()
    }
  }

  #refuseLongWait(tenant: string): void {
    const waiting = this.#queue.lengthOf(tenant)
    const expectedMs = (waiting + 1) * (this.#stepMs.get(tenant) ?? 0)
    // One tenant leaves as much of the queue to others as it takes.
    const isFull = waiting >= MAX_QUEUED - this.#queue.length
    if (expectedMs <= MAX_WAIT_MS && !isFull) return
    this.rejectedCount++
    const seconds = Math.max(1, Math.ceil(expectedMs / 1_000))
    throw new ApiError('overloaded', TOO_MANY_REQUESTS, {
      headers: { 'retry-after': String(seconds) },
    })
  }

  // One drain in a turn of the event loop: in between it reads what others have sent.
  #planDrain(): void {
    if (this.#isDrainPlanned) return
    this.#isDrainPlanned = true
    this.#deps.defer(() => {
      this.#isDrainPlanned = false
      this.#drain()
    })
  }

  #drain(): void {
    const now = this.#deps.now()
    this.#expire(now)
    while (this.#active.size < MAX_ACTIVE) {
      const next = this.#queue.takeNext(() => true)
      if (next === undefined) return
      this.#noteStep(next, now)
      next.resolve(this.#activate(now))
    }
    if (this.#queue.length > 0) this.#planExpiry()
  }

  #noteStep({ tenant, queuedAt, aheadCount }: QueuedRequest, now: number): void {
    if (this.#queue.lengthOf(tenant) === 0) return void this.#stepMs.delete(tenant)
    const stepMs = (now - queuedAt) / (aheadCount + 1)
    const averageMs = this.#stepMs.get(tenant) ?? stepMs
    this.#stepMs.set(tenant, averageMs + (stepMs - averageMs) * SMOOTHING_FACTOR)
  }

  #planExpiry(): void {
    if (this.#isExpiryPlanned) return
    this.#isExpiryPlanned = true
    this.#deps.delay(() => {
      this.#isExpiryPlanned = false
      this.#drain()
    }, ACTIVE_TIMEOUT_MS)
  }

  #expire(now: number): void {
    for (const active of this.#active) {
      if (active.at > now - ACTIVE_TIMEOUT_MS) return
      this.#active.delete(active)
    }
  }
}

interface ActiveRequest {
  readonly at: number
}

interface QueuedRequest {
  readonly tenant: string
  readonly queuedAt: number
  /** Requests of the tenant that were queued before it. */
  readonly aheadCount: number
  readonly resolve: (release: Release) => void
}

const NOOP_RELEASE: Release = () => {}
/** Requests that use the main thread at a time. */
const MAX_ACTIVE = 8
/** A request counts as active for so long at most. */
const ACTIVE_TIMEOUT_MS = 20
const MAX_QUEUED = 2_000
const MAX_WAIT_MS = 2_000
/** Of the latest wait in the average. */
const SMOOTHING_FACTOR = 0.1
const TOO_MANY_REQUESTS =
  'Too many requests of this workspace wait for an answer. Send fewer at a time.'
