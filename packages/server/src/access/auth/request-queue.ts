import type { IncomingMessage, ServerResponse } from 'node:http'
import { FairQueue, Presence } from '@linchpin/runner'
import { ApiError } from '../../platform/errors.ts'

/** The clocks and timers of a request queue. */
export interface RequestQueueDeps extends MainThreadClock {
  /** Calls back in the next iteration of the event loop. */
  readonly defer: (callback: () => void) => void
  /** Calls back after `ms` milliseconds. */
  readonly delay: (callback: () => void, ms: number) => void
}

/** Marks a request as no longer active. Idempotent. */
export type Release = () => void

/** The release of a request that is not counted, because its tenant is alone. */
const NOTHING_TO_RELEASE: Release = () => {}

/**
 * Shares the main thread between tenants. Few requests are active at a time; the others are queued and start tenant by
 * tenant (start-time fair queuing), so a request waits for a few requests of each other tenant, no matter how many those
 * have sent. At most half of the active requests are of one tenant: with PostgreSQL most of a request's work is done by the
 * server, where its time is not measured. A request that takes long no longer counts as active: it waits for a provider,
 * a bundle or the database. No tenant uses more than its share of the main thread's time. A tenant without competitors
 * never waits.
 */
export class RequestQueue {
  readonly #deps: RequestQueueDeps
  readonly #queue = new FairQueue<QueuedRequest>()
  readonly #presence = new Presence()
  readonly #share: MainThreadShare
  /** The active requests, the oldest first. */
  readonly #active = new Set<ActiveRequest>()
  /** Average milliseconds until the next queued request of a tenant starts, by tenant with queued requests. */
  readonly #stepMs = new Map<string, number>()
  /** No queued request may start, because their tenants have used up their shares. */
  #isThrottled = false
  #isDrainScheduled = false
  #isExpiryScheduled = false
  /** Requests that were rejected so far. */
  rejectedCount = 0

  constructor(deps: RequestQueueDeps) {
    this.#deps = deps
    this.#share = new MainThreadShare(deps)
  }

  /** Queued requests. */
  get length(): number {
    return this.#queue.length
  }

  /**
   * Starts a request of a tenant immediately, or queues it and resolves when it starts.
   *
   * @throws ApiError `overloaded` when the tenant has too many queued requests, or more than a few that wait for seconds
   */
  acquire(tenant: string): Release | Promise<Release> {
    const now = this.#deps.now()
    const isAlone = this.#presence.recordActivity(tenant, now)
    if (this.#queue.length === 0 || (this.#isThrottled && this.#queue.countItems(tenant) === 0)) {
      if (isAlone) return NOTHING_TO_RELEASE
      this.#expire(now)
      if (this.#active.size < MAX_ACTIVE && this.#canStart(tenant)) {
        this.#queue.charge(tenant, 1)
        return this.#activate(tenant, now)
      }
    }
    this.#assertShortWait(tenant)
    const { promise, resolve } = Promise.withResolvers<Release>()
    const aheadCount = this.#queue.countItems(tenant)
    this.#queue.enqueue(tenant, { tenant, queuedAt: now, aheadCount, resolve })
    this.#scheduleDrain()
    return promise
  }

  /**
   * Charges a tenant for bytes of a body that it sends or receives through this service.
   *
   * @returns a promise if the tenant has used up its share: then the next bytes wait until it resolves
   */
  pace(tenant: string, bytes: number): Promise<void> | undefined {
    if (this.#presence.isSingle(this.#deps.now())) return undefined
    this.#share.charge(tenant, bytes * MS_PER_BYTE)
    const waitMs = this.#share.waitMs(tenant)
    if (waitMs === 0) return undefined
    return new Promise((resolve) => this.#deps.delay(resolve, waitMs))
  }

  #canStart(tenant: string): boolean {
    const hasPlace = this.#share.activeCountOf(tenant) < MAX_ACTIVE_OF_TENANT
    return hasPlace && this.#share.waitMs(tenant) === 0
  }

  #activate(tenant: string, at: number): Release {
    const active = { tenant, at }
    this.#active.add(active)
    this.#share.begin(tenant)
    return () => {
      if (this.#deactivate(active) && this.#queue.length > 0) this.#scheduleDrain()
    }
  }

  #deactivate(active: ActiveRequest): boolean {
    const wasActive = this.#active.delete(active)
    if (wasActive) this.#share.end(active.tenant)
    return wasActive
  }

  #assertShortWait(tenant: string): void {
    const waiting = this.#queue.countItems(tenant)
    const expectedMs = (waiting + 1) * (this.#stepMs.get(tenant) ?? 0)
    // A tenant may use at most half of the places that others leave free.
    const isFull = waiting >= MAX_QUEUED - this.#queue.length
    if (!isFull && (waiting < FEW_QUEUED || expectedMs <= MAX_WAIT_MS)) return
    this.rejectedCount++
    this.#share.charge(tenant, REJECTION_MS)
    const seconds = Math.max(1, Math.ceil(expectedMs / 1_000))
    throw new ApiError('overloaded', TOO_MANY_REQUESTS, {
      headers: { 'retry-after': String(seconds) },
    })
  }

  // One drain per iteration of the event loop, which reads new requests in between.
  #scheduleDrain(): void {
    if (this.#isDrainScheduled) return
    this.#isDrainScheduled = true
    this.#deps.defer(() => {
      this.#isDrainScheduled = false
      this.#drain()
    })
  }

  #drain(): void {
    const now = this.#deps.now()
    this.#expire(now)
    this.#isThrottled = false
    while (this.#active.size < MAX_ACTIVE) {
      const next = this.#queue.takeNext(
        () => true,
        (tenant) => this.#canStart(tenant),
      )
      this.#isThrottled = next === undefined
      if (next === undefined) break
      this.#recordStep(next, now)
      next.resolve(this.#activate(next.tenant, now))
    }
    if (this.#queue.length > 0) this.#scheduleExpiry()
  }

  #recordStep({ tenant, queuedAt, aheadCount }: QueuedRequest, now: number): void {
    if (this.#queue.countItems(tenant) === 0) return void this.#stepMs.delete(tenant)
    const stepMs = (now - queuedAt) / (aheadCount + 1)
    const averageMs = this.#stepMs.get(tenant) ?? stepMs
    this.#stepMs.set(tenant, averageMs + (stepMs - averageMs) * SMOOTHING_FACTOR)
  }

  #scheduleExpiry(): void {
    if (this.#isExpiryScheduled) return
    this.#isExpiryScheduled = true
    this.#deps.delay(() => {
      this.#isExpiryScheduled = false
      this.#drain()
    }, ACTIVE_TIMEOUT_MS)
  }

  #expire(now: number): void {
    for (const active of this.#active) {
      if (active.at > now - ACTIVE_TIMEOUT_MS) return
      this.#deactivate(active)
    }
  }
}

interface ActiveRequest {
  readonly tenant: string
  readonly at: number
}

interface QueuedRequest {
  readonly tenant: string
  readonly queuedAt: number
  /** Requests of the tenant that were queued before it. */
  readonly aheadCount: number
  readonly resolve: (release: Release) => void
}

/** Concurrently active requests. */
const MAX_ACTIVE = 8
const MAX_ACTIVE_OF_TENANT = MAX_ACTIVE / 2
/** A request counts as active for at most this long. */
const ACTIVE_TIMEOUT_MS = 20
const MAX_QUEUED = 2_000
/** So few queued requests of a tenant wait however long it takes: one pause of the machine spoils the estimate. */
const FEW_QUEUED = 64
/** Main thread time of a rejected request, and of a byte that passes through: 5 ms per MB. */
const REJECTION_MS = 0.25
const MS_PER_BYTE = 5e-6
const MAX_WAIT_MS = 2_000
/** The weight of the latest wait in the moving average. */
const SMOOTHING_FACTOR = 0.1
const TOO_MANY_REQUESTS = 'Too many requests of this workspace are waiting. Send fewer at a time.'

/** The clocks of the measurement, in milliseconds. */
interface MainThreadClock {
  /** A monotonic clock. */
  readonly now: () => number
  /** How long the event loop has been busy since the start of the process. */
  readonly busyMs: () => number
}

/**
 * Measures how much of the main thread each tenant uses: while requests are active, the time in which the event loop is
 * busy is divided equally among them. Each tenant has a budget that grows with time by its share of the thread.
 */
export class MainThreadShare {
  readonly #clock: MainThreadClock
  readonly #budgets = new Map<string, Budget>()
  /** Number of active requests by tenant. */
  readonly #active = new Map<string, number>()
  #activeCount = 0
  #measuredMs = 0

  constructor(clock: MainThreadClock) {
    this.#clock = clock
  }

  /** A request of the tenant becomes active. */
  begin(tenant: string): void {
    this.#measure()
    this.#count(tenant, 1)
  }

  /** A request of the tenant is no longer active. */
  end(tenant: string): void {
    this.#measure()
    this.#count(tenant, -1)
  }

  /** Active requests of the tenant. */
  activeCountOf(tenant: string): number {
    return this.#active.get(tenant) ?? 0
  }

  /** Charges a tenant for work that no active request does. */
  charge(tenant: string, ms: number): void {
    const budget = this.#refill(tenant)
    budget.ms = Math.max(MAX_DEBT_MS, budget.ms - ms)
  }

  /** Milliseconds until the tenant may use the thread again; 0 if it may now. */
  waitMs(tenant: string): number {
    this.#measure()
    const { ms } = this.#refill(tenant)
    return ms > 0 ? 0 : Math.ceil((1 - ms) / SHARE)
  }

  #measure(): void {
    const busyMs = this.#clock.busyMs()
    const usedMs = busyMs - this.#measuredMs
    this.#measuredMs = busyMs
    for (const [tenant, count] of this.#active)
      this.charge(tenant, (usedMs * count) / this.#activeCount)
  }

  #count(tenant: string, change: 1 | -1): void {
    this.#activeCount += change
    const count = (this.#active.get(tenant) ?? 0) + change
    if (count > 0) this.#active.set(tenant, count)
    else this.#active.delete(tenant)
  }

  #refill(tenant: string): Budget {
    const now = this.#clock.now()
    const budget = this.#budgets.get(tenant)
    if (budget !== undefined) {
      budget.ms = Math.min(BURST_MS, budget.ms + (now - budget.refilledAt) * SHARE)
      budget.refilledAt = now
      return budget
    }
    // A full budget is the same as a new one, and every budget is full after half a second.
    if (this.#budgets.size >= MAX_TENANTS) this.#budgets.clear()
    const created = { ms: BURST_MS, refilledAt: now }
    this.#budgets.set(tenant, created)
    return created
  }
}

interface Budget {
  /** Negative after work that took longer than the remaining time. */
  ms: number
  refilledAt: number
}

/** The part of the main thread that one tenant may use while others are present. */
const SHARE = 0.5
const BURST_MS = 50
const MAX_DEBT_MS = -100
const MAX_TENANTS = 1_000

/** Lets requests through the fair queue of tenants. */
export interface Admission {
  /**
   * Waits until a request of the tenant may start. It ends with its response. A request that was handed over has waited.
   *
   * @throws ApiError `overloaded`; the promise never rejects
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    tenant: string,
  ): Promise<void> | undefined
  /** Records that a request has waited already, or was rejected, before it reaches the framework. */
  handOver(request: IncomingMessage, rejection?: unknown): void
  /** Ends the request's turn before its response, because it now waits for something that takes no work. */
  leave(request: IncomingMessage): void
}

/** Creates the admission to a queue. */
export function createAdmission(queue: RequestQueue): Admission {
  const outcomes = new WeakMap<IncomingMessage, { readonly rejection: unknown }>()
  const turns = new WeakMap<IncomingMessage, Release>()
  const leave = (request: IncomingMessage) => {
    turns.get(request)?.()
    turns.delete(request)
  }
  return {
    admit(request, response, tenant) {
      const outcome = outcomes.get(request)
      if (outcome?.rejection !== undefined) throw outcome.rejection
      if (outcome !== undefined) return undefined
      const release = queue.acquire(tenant)
      const keep = (turn: Release) => {
        if (turn === NOTHING_TO_RELEASE) return
        turns.set(request, turn)
        response.once('close', () => leave(request))
      }
      if (release instanceof Promise) return release.then(keep)
      keep(release)
      return undefined
    },
    handOver: (request, rejection) => void outcomes.set(request, { rejection }),
    leave,
  }
}
