import type { IncomingMessage, ServerResponse } from 'node:http'
import { FairQueue, Presence } from '@linchpin/runner'
import { ApiError } from '../../platform/errors.ts'

/** The clocks and timers of a request queue, in milliseconds. */
export interface RequestQueueDeps {
  /** A monotonic clock. */
  readonly now: () => number
  /** How long the event loop has been busy since the start of the process. */
  readonly busyMs: () => number
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
 * tenant, first those of the tenant that has used least of the thread (start-time fair queuing), so a request waits for a
 * few requests of each other tenant, no matter how many those have sent. At most half of the active requests are of one
 * tenant: with PostgreSQL most of a request's work is done by the server, where its time is not measured. A request that
 * takes long no longer counts as active: it waits for a provider, a bundle or the database.
 *
 * While a tenant has a request in progress and none queued, no other uses more than half of the thread, for a second at most
 * with each such request. What these light tenants leave is for those who have more to do. A tenant without competitors never waits.
 */
export class RequestQueue {
  readonly #deps: RequestQueueDeps
  /** Tenants are charged for the milliseconds of the main thread that they use. */
  readonly #queue = new FairQueue<QueuedRequest>({ startCost: 0, credit: BURST_MS })
  readonly #presence = new Presence()
  readonly #meter: MainThreadMeter
  /** The active requests, the oldest first. */
  readonly #active = new Set<StartedRequest>()
  /** Those in progress, the oldest first. */
  readonly #inProgress = new Set<StartedRequest>()
  /** Number of requests in progress by tenant. */
  readonly #counts = new Map<string, number>()
  /** Tenants with requests in progress and none queued. */
  readonly #light = new Set<string>()
  /** Average milliseconds until the next queued request of a tenant starts, by tenant with queued requests. */
  readonly #stepMs = new Map<string, number>()
  /** No queued request may start, because their tenants have used up their shares. */
  #isThrottled = false
  #isDrainScheduled = false
  #isTimerSet = false
  /** Requests that were rejected so far. */
  rejectedCount = 0

  constructor(deps: RequestQueueDeps) {
    this.#deps = deps
    this.#meter = new MainThreadMeter(deps)
  }

  /** Queued requests. */
  get length(): number {
    return this.#queue.length
  }

  /**
   * Starts a request of a tenant immediately, or queues it and resolves when it starts.
   *
   * @param isShort whether the request is known to take little time: then it takes an eighth of a place
   * @throws ApiError `overloaded` when the tenant has too many queued requests, or more than a few that wait for seconds
   */
  acquire(tenant: string, isShort = false): Release | Promise<Release> {
    const now = this.#deps.now()
    const places = isShort ? PLACES_OF_SHORT : 1
    const isAlone = this.#presence.recordActivity(tenant, now)
    if (this.#queue.length === 0 || (this.#isThrottled && this.#queue.countItems(tenant) === 0)) {
      if (isAlone) return NOTHING_TO_RELEASE
      this.#update(now)
      if (this.#hasPlace(tenant) && !this.#mustYield(tenant)) {
        this.#queue.start(tenant)
        return this.#activate({ tenant, places, at: now })
      }
    }
    this.#assertShortWait(tenant, now)
    const { promise, resolve } = Promise.withResolvers<Release>()
    const aheadCount = this.#queue.countItems(tenant)
    this.#queue.enqueue(tenant, { tenant, places, queuedAt: now, aheadCount, resolve })
    this.#light.delete(tenant)
    this.#scheduleDrain()
    return promise
  }

  /**
   * Charges a tenant for bytes of a body that it sends or receives through this service.
   *
   * @returns a promise if the tenant must leave the thread to others: then the next bytes wait until it resolves
   */
  pace(tenant: string, bytes: number): Promise<void> | undefined {
    const now = this.#deps.now()
    if (this.#presence.isSingle(now)) return undefined
    this.#update(now)
    this.#charge(tenant, bytes * MS_PER_BYTE)
    if (this.#mustYield(tenant))
      return new Promise((resolve) => this.#deps.delay(resolve, YIELD_MS))
    this.#queue.start(tenant)
    return undefined
  }

  #hasPlace(tenant: string): boolean {
    return this.#meter.places < MAX_PLACES && this.#meter.placesOf(tenant) < MAX_PLACES_OF_TENANT
  }

  /** Whether a tenant has used its share of the thread, and there are other tenants that are light. */
  #mustYield(tenant: string): boolean {
    const lightCount = this.#light.size - Number(this.#light.has(tenant))
    return lightCount > 0 && this.#queue.leadOf(tenant) > 0
  }

  #activate(request: StartedRequest): Release {
    const { tenant } = request
    this.#active.add(request)
    this.#meter.begin(request)
    this.#inProgress.add(request)
    this.#count(tenant, 1)
    return () => {
      this.#update(this.#deps.now())
      if (this.#inProgress.delete(request)) this.#count(tenant, -1)
      if (this.#deactivate(request) && this.#queue.length > 0) this.#scheduleDrain()
    }
  }

  #deactivate(request: StartedRequest): boolean {
    const wasActive = this.#active.delete(request)
    if (wasActive) this.#meter.end(request)
    return wasActive
  }

  #count(tenant: string, change: 1 | -1): void {
    const count = (this.#counts.get(tenant) ?? 0) + change
    if (count > 0) this.#counts.set(tenant, count)
    else this.#counts.delete(tenant)
    if (count > 0 && this.#queue.countItems(tenant) === 0) this.#light.add(tenant)
    else this.#light.delete(tenant)
  }

  #assertShortWait(tenant: string, now: number): void {
    const waiting = this.#queue.countItems(tenant)
    const expectedMs = (waiting + 1) * (this.#stepMs.get(tenant) ?? 0)
    // A tenant may use at most half of the places that others leave free.
    const isFull = waiting >= MAX_QUEUED - this.#queue.length
    if (!isFull && (waiting < FEW_QUEUED || expectedMs <= MAX_WAIT_MS)) return
    this.rejectedCount++
    // Its tenant pays for the rejection like for any short request.
    const rejected = { tenant, places: PLACES_OF_SHORT, at: now }
    this.#meter.begin(rejected)
    this.#meter.end(rejected)
    const seconds = Math.max(1, Math.ceil(expectedMs / 1_000))
    throw new ApiError('overloaded', TOO_MANY_REQUESTS, {
      headers: { 'retry-after': String(seconds) },
    })
  }

  #charge(tenant: string, ms: number): void {
    this.#queue.charge(tenant, Math.min(ms, MAX_LEAD_MS - this.#queue.leadOf(tenant)))
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
    this.#update(now)
    this.#isThrottled = false
    while (this.#meter.places < MAX_PLACES) {
      const next = this.#queue.takeNext({
        mayServe: (tenant) => this.#hasPlace(tenant),
        maxLead: this.#light.size > 0 ? 0 : Number.POSITIVE_INFINITY,
      })
      this.#isThrottled = next === undefined
      if (next === undefined) break
      this.#recordStep(next, now)
      next.resolve(this.#activate({ tenant: next.tenant, places: next.places, at: now }))
    }
    if (this.#queue.length > 0) this.#setTimer()
  }

  #recordStep({ tenant, queuedAt, aheadCount }: QueuedRequest, now: number): void {
    if (this.#queue.countItems(tenant) === 0) return void this.#stepMs.delete(tenant)
    const stepMs = (now - queuedAt) / (aheadCount + 1)
    const averageMs = this.#stepMs.get(tenant) ?? stepMs
    this.#stepMs.set(tenant, averageMs + (stepMs - averageMs) * SMOOTHING_FACTOR)
  }

  #setTimer(): void {
    if (this.#isTimerSet) return
    this.#isTimerSet = true
    this.#deps.delay(() => {
      this.#isTimerSet = false
      this.#drain()
    }, YIELD_MS)
  }

  /** Charges tenants for what they have used, and ends the turns of requests that have been active for long. */
  #update(now: number): void {
    this.#meter.measure(now, (elapsedMs, usedMs) => {
      this.#queue.advance(elapsedMs / Math.max(2, this.#queue.activeFlows))
      for (const [tenant, ms] of usedMs) this.#charge(tenant, ms)
    })
    for (const request of this.#active) {
      if (request.at > now - ACTIVE_TIMEOUT_MS) break
      this.#deactivate(request)
    }
    for (const request of this.#inProgress) {
      if (request.at > now - PROTECTION_MS) break
      this.#inProgress.delete(request)
      this.#count(request.tenant, -1)
    }
  }
}

/** A request that is active, or in progress after that. */
interface StartedRequest {
  readonly tenant: string
  readonly places: number
  readonly at: number
}

interface QueuedRequest {
  readonly tenant: string
  readonly places: number
  readonly queuedAt: number
  /** Requests of the tenant that were queued before it. */
  readonly aheadCount: number
  readonly resolve: (release: Release) => void
}

/** Places of active requests. */
const MAX_PLACES = 8
const MAX_PLACES_OF_TENANT = MAX_PLACES / 2
const PLACES_OF_SHORT = 1 / 8
/** A request counts as active for at most this long. */
const ACTIVE_TIMEOUT_MS = 20
/** For so long others leave half of the thread to a request in progress: longer than one takes on a busy machine. */
const PROTECTION_MS = 1_000
/** How long queued requests wait for their tenants' shares to grow, or for others to leave the thread. */
const YIELD_MS = 2
/** What a tenant may use at once after it has used less than its share, and how far it may get ahead of its share. */
const BURST_MS = 50
const MAX_LEAD_MS = 100
const MAX_QUEUED = 2_000
/** So few queued requests of a tenant wait however long it takes: one pause of the machine spoils the estimate. */
const FEW_QUEUED = 64
/** Main thread time of a byte that passes through: 5 ms per MB. */
const MS_PER_BYTE = 5e-6
const MAX_WAIT_MS = 2_000
/** The weight of the latest wait in the moving average. */
const SMOOTHING_FACTOR = 0.1
const TOO_MANY_REQUESTS = 'Too many requests of this workspace are waiting. Send fewer at a time.'

/**
 * Measures how much of the main thread each tenant uses: the time in which the event loop is busy is divided among the
 * requests that were active meanwhile, by their places.
 */
class MainThreadMeter {
  readonly #deps: Pick<RequestQueueDeps, 'busyMs'>
  /** Places of active requests by tenant. */
  readonly #active = new Map<string, number>()
  /** Places of the requests that were active since the last measurement, by tenant. */
  #measured = new Map<string, number>()
  #measuredAt = 0
  #busyMs = 0
  /** Places of all active requests. */
  places = 0

  constructor(deps: Pick<RequestQueueDeps, 'busyMs'>) {
    this.#deps = deps
  }

  placesOf(tenant: string): number {
    return this.#active.get(tenant) ?? 0
  }

  begin({ tenant, places }: StartedRequest): void {
    this.places += places
    this.#active.set(tenant, this.placesOf(tenant) + places)
    this.#measured.set(tenant, (this.#measured.get(tenant) ?? 0) + places)
  }

  end({ tenant, places }: StartedRequest): void {
    this.places -= places
    const left = this.placesOf(tenant) - places
    if (left > 0) this.#active.set(tenant, left)
    else this.#active.delete(tenant)
  }

  /**
   * At most once a millisecond, because reading the clock of the event loop takes as long as a short request's accounting.
   * Calls back with the time since the last measurement, and what each tenant has used of it.
   */
  measure(now: number, record: (elapsedMs: number, usedMs: Map<string, number>) => void): void {
    const elapsedMs = now - this.#measuredAt
    if (elapsedMs < 1) return
    const busyMs = this.#deps.busyMs()
    const usedMs = busyMs - this.#busyMs
    let places = 0
    for (const each of this.#measured.values()) places += each
    const shares = this.#measured
    for (const [tenant, each] of shares) shares.set(tenant, (usedMs * each) / places)
    this.#measured = new Map(this.#active)
    this.#measuredAt = now
    this.#busyMs = busyMs
    record(elapsedMs, shares)
  }
}

/** Lets requests through the fair queue of tenants. */
export interface Admission {
  /**
   * Waits until a request of the tenant may start. It ends with its response. A request that was handed over has waited.
   *
   * @param isShort whether it is known to take little time
   * @throws ApiError `overloaded`; the promise never rejects
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    tenant: string,
    isShort?: boolean,
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
    admit(request, response, tenant, isShort = false) {
      const outcome = outcomes.get(request)
      if (outcome?.rejection !== undefined) throw outcome.rejection
      if (outcome !== undefined) return undefined
      const release = queue.acquire(tenant, isShort)
      const keep = (turn: Release) => {
        if (turn === NOTHING_TO_RELEASE) return
        // A short request does not leave before its response.
        if (!isShort) turns.set(request, turn)
        response.once('close', turn)
      }
      if (release instanceof Promise) return release.then(keep)
      keep(release)
      return undefined
    },
    handOver: (request, rejection) => void outcomes.set(request, { rejection }),
    leave,
  }
}
