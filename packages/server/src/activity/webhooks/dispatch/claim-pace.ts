import type { LeasedEndpoint } from './claim-store.ts'
import { Concurrency } from './concurrency.ts'
import type { OpenDeliveries } from './open-deliveries.ts'
import { type AttemptResult, countFailuresInRow, FAILURES_TO_OPEN } from './plan-settlement.ts'

/** Decides when to claim deliveries of an endpoint, and how many. */
export class ClaimPace {
  readonly #open: OpenDeliveries
  readonly #concurrency = new Concurrency()
  #claimedAt = Number.NEGATIVE_INFINITY
  /** Of concurrent requests, as read last. */
  #maxInFlight = 1
  #mayHaveMore = true

  constructor(open: OpenDeliveries) {
    this.#open = open
  }

  /** There may be new deliveries. */
  notify(): void {
    this.#mayHaveMore = true
  }

  /** At once when a quarter of the allowed requests is free: those that end at about the same time are replaced together. */
  isDue(): boolean {
    if (this.#open.inFlight === 0) return true
    if (!this.#mayHaveMore) return this.getAge() >= IDLE_PAUSE_MS
    const limit = this.#concurrency.getLimit(this.#maxInFlight)
    const free = limit - this.#open.inFlight
    return free > 0 && (free >= limit / 4 || this.getAge() >= BUSY_PAUSE_MS)
  }

  /** Milliseconds until it may be due, if nothing else happens. */
  getPause(): number {
    return this.#mayHaveMore ? BUSY_PAUSE_MS : IDLE_CHECK_MS
  }

  start(): void {
    this.#claimedAt = performance.now()
  }

  /** Milliseconds since the last claim started. */
  getAge(): number {
    return performance.now() - this.#claimedAt
  }

  /** The number of deliveries to claim. */
  countFree(leased: LeasedEndpoint): number {
    this.#maxInFlight = leased.endpoint.maxInFlight
    const { results, inFlight, size: claimed } = this.#open
    const limit = this.#concurrency.getLimit(this.#maxInFlight)
    return countFreeRequests(leased, { limit, results, inFlight, claimed })
  }

  /** A claim has read `count` of the `wanted` deliveries. */
  end(count: number, wanted: number): void {
    this.#mayHaveMore = count === wanted
  }

  accept(result: AttemptResult, maxInFlight: number): void {
    this.#concurrency.count(result, maxInFlight)
  }
}

const BUSY_PAUSE_MS = 5
/** Between two looks for new deliveries, when nothing indicates that there are any. */
const IDLE_PAUSE_MS = 1_000
const IDLE_CHECK_MS = 250

/** What a process has sent to an endpoint. */
interface SentRequests {
  /** Of concurrent requests. */
  readonly limit: number
  /** Not settled yet. */
  readonly results: readonly AttemptResult[]
  readonly inFlight: number
  /** Deliveries that are in flight or not settled. */
  readonly claimed: number
}

/** The number of requests that may be sent now: one probe, if the circuit is open and the probe is due. */
function countFreeRequests(
  { health, at }: LeasedEndpoint,
  { limit, results, inFlight, claimed }: SentRequests,
): number {
  const { state, retryAt, failuresInRow } = health
  if (state === 'active') {
    const failures = countFailuresInRow(failuresInRow, results)
    const max = failures === 0 ? limit : Math.max(FAILURES_TO_OPEN - failures, 0)
    return Math.max(Math.min(MAX_CLAIM, limit, max) - inFlight, claimed === 0 ? 1 : 0)
  }
  const isProbeDue = state === 'failing' && (retryAt ?? 0) <= at
  return isProbeDue && claimed === 0 ? 1 : 0
}

const MAX_CLAIM = 64
