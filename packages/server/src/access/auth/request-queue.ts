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

/** Ends the turn of a request. To be called once. */
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
 * The thread is measured at most once a millisecond: the time in which it was busy is divided among the requests that were
 * active meanwhile, by their places. So what a tenant starts in that time is one turn, which is counted, charged and
 * forgotten as a whole; a request by itself leaves nothing behind. No operation takes more than logarithmic time in the
 * number of tenants, amortized.
 *
 * While a tenant has a request in progress and none queued, no other uses more than half of the thread, for a second at most
 * with each such request. What these light tenants leave is for those who have more to do. A tenant without competitors never waits.
 */
export class RequestQueue {
  readonly #deps: RequestQueueDeps
  /** Tenants are charged for the milliseconds of the main thread that they use. */
  readonly #queue = new FairQueue<QueuedRequest>({ startCost: 0, credit: BURST_MS })
  readonly #presence = new Presence()
  /** Those with turns or queued requests, by name. */
  readonly #tenants = new Map<string, Tenant>()
  /** The turns whose requests are active, or were since the last measurement; the oldest first. */
  readonly #active = new Set<Turn>()
  /** Older ones with requests in progress, the oldest first. */
  readonly #inProgress = new Set<Turn>()
  /** Places of all active requests. */
  #places = 0
  #lightCount = 0
  #measuredAt = 0
  #busyMs = 0
  /** No queued request may start, because their tenants have used up their shares. */
  #isThrottled = false
  #isDrainScheduled = false
  #isTimerSet = false
  /** Requests that were rejected so far. */
  rejectedCount = 0

  constructor(deps: RequestQueueDeps) {
    this.#deps = deps
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
  acquire(name: string, isShort = false): Release | Promise<Release> {
    const now = this.#deps.now()
    const isAlone = this.#presence.recordActivity(name, now)
    const mayStart =
      this.#queue.length === 0 || (this.#isThrottled && this.#queue.countItems(name) === 0)
    if (mayStart && isAlone) return NOTHING_TO_RELEASE
    this.#update(now)
    const tenant = this.#findTenant(name)
    const places = isShort ? PLACES_OF_SHORT : 1
    if (mayStart && this.#hasPlace(tenant) && !this.#mustYield(name, tenant)) {
      this.#queue.start(name)
      return this.#start(tenant, places)
    }
    this.#assertShortWait(tenant)
    const { promise, resolve } = Promise.withResolvers<Release>()
    const aheadCount = this.#queue.countItems(name)
    this.#queue.enqueue(name, { tenant, places, queuedAt: now, aheadCount, resolve })
    this.#weigh(tenant)
    this.#scheduleDrain()
    return promise
  }

  /**
   * Charges a tenant for bytes of a body that it sends or receives through this service.
   *
   * @returns a promise if the tenant must leave the thread to others: then the next bytes wait until it resolves
   */
  pace(name: string, bytes: number): Promise<void> | undefined {
    const now = this.#deps.now()
    if (this.#presence.isSingle(now)) return undefined
    this.#update(now)
    this.#charge(name, bytes * MS_PER_BYTE)
    if (this.#mustYield(name, this.#tenants.get(name)))
      return new Promise((resolve) => this.#deps.delay(resolve, YIELD_MS))
    this.#queue.start(name)
    return undefined
  }

  #findTenant(name: string): Tenant {
    const existing = this.#tenants.get(name)
    if (existing !== undefined) return existing
    const tenant: Tenant = { name, places: 0, requests: 0, isLight: false }
    this.#tenants.set(name, tenant)
    return tenant
  }

  #hasPlace({ places }: Tenant): boolean {
    return this.#places < MAX_PLACES && places < MAX_PLACES_OF_TENANT
  }

  /** Whether a tenant has used its share of the thread, and there are other tenants that are light. */
  #mustYield(name: string, tenant: Tenant | undefined): boolean {
    const lightCount = this.#lightCount - Number(tenant?.isLight ?? false)
    return lightCount > 0 && this.#queue.leadOf(name) > 0
  }

  #start(tenant: Tenant, places: number): Release {
    const turn = this.#findTurn(tenant, places)
    turn.requests++
    turn.measured++
    tenant.places += places
    this.#places += places
    tenant.requests++
    this.#weigh(tenant)
    return turn.release
  }

  /** The turn of what a tenant starts now. */
  #findTurn(tenant: Tenant, places: number): Turn {
    const { turn: latest } = tenant
    if (latest?.startedAt === this.#measuredAt && latest.places === places) return latest
    const turn: Turn = {
      tenant,
      places,
      startedAt: this.#measuredAt,
      requests: 0,
      measured: 0,
      release: () => this.#release(turn),
    }
    tenant.turn = turn
    this.#active.add(turn)
    return turn
  }

  #release(turn: Turn): void {
    this.#update(this.#deps.now())
    turn.requests--
    if (this.#active.has(turn)) {
      this.#freePlaces(turn, 1)
      this.#endProgress(turn, 1)
      if (this.#queue.length > 0) this.#scheduleDrain()
    } else if (this.#inProgress.has(turn)) {
      if (turn.requests === 0) this.#inProgress.delete(turn)
      this.#endProgress(turn, 1)
    }
  }

  #freePlaces({ tenant, places }: Turn, requests: number): void {
    tenant.places -= requests * places
    this.#places -= requests * places
  }

  #endProgress({ tenant }: Turn, requests: number): void {
    tenant.requests -= requests
    if (tenant.requests === 0) this.#weigh(tenant)
    this.#forgetIdle(tenant)
  }

  /** Determines whether a tenant is light: with requests in progress, and none queued. */
  #weigh(tenant: Tenant): void {
    const isLight = tenant.requests > 0 && this.#queue.countItems(tenant.name) === 0
    this.#lightCount += Number(isLight) - Number(tenant.isLight)
    tenant.isLight = isLight
  }

  #forgetIdle({ name, requests, turn }: Tenant): void {
    if (requests === 0 && turn === undefined && this.#queue.countItems(name) === 0)
      this.#tenants.delete(name)
  }

  #assertShortWait(tenant: Tenant): void {
    const waiting = this.#queue.countItems(tenant.name)
    const expectedMs = (waiting + 1) * (tenant.stepMs ?? 0)
    // A tenant may use at most half of the places that others leave free.
    const isFull = waiting >= MAX_QUEUED - this.#queue.length
    if (!isFull && (waiting < FEW_QUEUED || expectedMs <= MAX_WAIT_MS)) return
    this.rejectedCount++
    // Its tenant pays for the rejection like for any short request.
    this.#findTurn(tenant, PLACES_OF_SHORT).measured++
    const seconds = Math.max(1, Math.ceil(expectedMs / 1_000))
    throw new ApiError('overloaded', TOO_MANY_REQUESTS, {
      headers: { 'retry-after': String(seconds) },
    })
  }

  #charge(name: string, ms: number): void {
    this.#queue.charge(name, Math.min(ms, MAX_LEAD_MS - this.#queue.leadOf(name)))
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
    while (this.#places < MAX_PLACES) {
      const next = this.#queue.takeNext({
        mayServe: (name) => this.#hasPlace(this.#findTenant(name)),
        maxLead: this.#lightCount > 0 ? 0 : Number.POSITIVE_INFINITY,
      })
      this.#isThrottled = next === undefined
      if (next === undefined) break
      this.#recordStep(next, now)
      next.resolve(this.#start(next.tenant, next.places))
    }
    if (this.#queue.length > 0) this.#setTimer()
  }

  #recordStep({ tenant, queuedAt, aheadCount }: QueuedRequest, now: number): void {
    const isLast = this.#queue.countItems(tenant.name) === 0
    const stepMs = (now - queuedAt) / (aheadCount + 1)
    const averageMs = tenant.stepMs ?? stepMs
    tenant.stepMs = isLast ? undefined : averageMs + (stepMs - averageMs) * SMOOTHING_FACTOR
  }

  #setTimer(): void {
    if (this.#isTimerSet) return
    this.#isTimerSet = true
    this.#deps.delay(() => {
      this.#isTimerSet = false
      this.#drain()
    }, YIELD_MS)
  }

  /**
   * Charges tenants for what they have used, and ends what has taken long. Reading the clock of the event loop takes longer
   * than the rest of a short request's accounting.
   */
  #update(now: number): void {
    const elapsedMs = now - this.#measuredAt
    if (elapsedMs < 1) return
    const busyMs = this.#deps.busyMs()
    this.#queue.advance(elapsedMs / Math.max(2, this.#queue.activeFlows))
    this.#chargeTurns(busyMs - this.#busyMs)
    this.#measuredAt = now
    this.#busyMs = busyMs
    for (const turn of this.#active) {
      turn.measured = turn.requests
      if (turn.requests === 0 || turn.startedAt <= now - ACTIVE_TIMEOUT_MS) this.#deactivate(turn)
    }
    for (const turn of this.#inProgress) {
      if (turn.startedAt > now - PROTECTION_MS) break
      this.#inProgress.delete(turn)
      this.#endProgress(turn, turn.requests)
    }
  }

  #chargeTurns(usedMs: number): void {
    let places = 0
    for (const turn of this.#active) places += turn.measured * turn.places
    for (const turn of this.#active)
      this.#charge(turn.tenant.name, (usedMs * turn.measured * turn.places) / places)
  }

  #deactivate(turn: Turn): void {
    const { tenant } = turn
    this.#active.delete(turn)
    this.#freePlaces(turn, turn.requests)
    if (tenant.turn === turn) tenant.turn = undefined
    if (turn.requests > 0) this.#inProgress.add(turn)
    else this.#forgetIdle(tenant)
  }
}

interface Tenant {
  readonly name: string
  /** Places of its active requests. */
  places: number
  /** Those in progress that others leave half of the thread to. */
  requests: number
  isLight: boolean
  /** The latest. */
  turn?: Turn | undefined
  /** Average milliseconds until its next queued request starts, while some are queued. */
  stepMs?: number | undefined
}

/** Requests of a tenant that started between two measurements and take equally many places. */
interface Turn {
  readonly tenant: Tenant
  /** Of each request. */
  readonly places: number
  readonly startedAt: number
  /** Those in progress. */
  requests: number
  /** Those that were active since the last measurement. */
  measured: number
  readonly release: Release
}

interface QueuedRequest {
  readonly tenant: Tenant
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
  /**
   * Starts a request that is known to take little time, or resolves when it starts. Either its turn is ended, or the request
   * handed over.
   *
   * @throws ApiError `overloaded`; the promise never rejects
   */
  admitShort(tenant: string): Release | Promise<Release>
  /** Records that a request has its turn already, or was rejected, before it reaches the framework. */
  handOver(request: IncomingMessage, outcome: Outcome): void
  /** Ends the request's turn before its response, because it now waits for something that takes no work. */
  leave(request: IncomingMessage): void
}

type Outcome = { readonly turn: Release } | { readonly rejection: unknown }

/** Creates the admission to a queue. */
export function createAdmission(queue: RequestQueue): Admission {
  const outcomes = new WeakMap<IncomingMessage, Outcome>()
  const turns = new WeakMap<IncomingMessage, Release>()
  const leave = (request: IncomingMessage) => {
    turns.get(request)?.()
    turns.delete(request)
  }
  return {
    admit(request, response, tenant) {
      const keep = (turn: Release) => {
        if (turn === NOTHING_TO_RELEASE) return
        turns.set(request, turn)
        response.once('close', () => leave(request))
      }
      const outcome = outcomes.get(request)
      if (outcome !== undefined && 'rejection' in outcome) throw outcome.rejection
      const turn = outcome?.turn ?? queue.acquire(tenant)
      if (turn instanceof Promise) return turn.then(keep)
      keep(turn)
      return undefined
    },
    admitShort: (tenant) => queue.acquire(tenant, true),
    handOver: (request, outcome) => void outcomes.set(request, outcome),
    leave,
  }
}
