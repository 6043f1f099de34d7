import { setTimeout as sleep } from 'node:timers/promises'
import type { EgressGateway } from '@linchpin/runner'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import { type Log, runJob } from '../../../platform/http/log.ts'
import { VaultError } from '../../../platform/vault/sealed-box.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { attemptDelivery, type Receiver, ReceiverCache } from './attempt-delivery.ts'
import type { DeliveryClaimStore, DueDelivery, LeasedEndpoint } from './claim-store.ts'
import { EndpointSettler, OpenDeliveries, type SettlementGroup } from './endpoint-settler.ts'
import type { HeldLease } from './lease-store.ts'
import { type AttemptResult, countFailuresInRow, FAILURES_TO_OPEN } from './plan-settlement.ts'

import type { RequestSlots } from './request-slots.ts'
import type { SettlementStore } from './settlement-store.ts'

export interface EndpointWorkerDeps {
  readonly claims: DeliveryClaimStore
  readonly settlements: Pick<SettlementStore, 'postpone'>
  readonly settlementGroup: SettlementGroup
  readonly vault: Pick<Vault, 'openText'>
  readonly egressGateway: EgressGateway
  readonly slots: RequestSlots
  readonly log: Log
  readonly now: () => number
  /** Called with each result. */
  readonly onResult: (result: AttemptResult, workspaceId: WorkspaceId) => void
}

/**
 * Sends the deliveries of one endpoint while this process has its lease. It claims and settles at the same time: a claim leaves
 * out what was open when it began.
 */
export class EndpointWorker {
  /** Resolves when the lease is given back or lost. */
  readonly done: Promise<void>
  readonly #deps: EndpointWorkerDeps
  readonly #held: HeldLease
  readonly #open = new OpenDeliveries()
  readonly #pace = new ClaimPace(this.#open)
  readonly #settler: EndpointSettler
  readonly #receivers: ReceiverCache
  readonly #interruption = new AbortController()
  #isStopping = false
  #isOver = false
  #isAwake = false
  #wakeUp: () => void = () => {}

  constructor(deps: EndpointWorkerDeps, held: HeldLease) {
    this.#deps = deps
    this.#held = held
    this.#settler = new EndpointSettler(deps.settlementGroup, held.lease, {
      open: this.#open,
      onSettled: () => this.notify(),
    })
    this.#receivers = new ReceiverCache(deps.vault)
    this.done = this.#run()
  }

  /** There may be new deliveries. */
  notify(): void {
    this.#pace.notify()
    this.#wake()
  }

  /** Sends nothing new, waits for what is in flight until `deadline`, settles, and gives the lease back. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#isStopping = true
    deadline.addEventListener('abort', () => this.#interruption.abort())
    this.#wake()
    await this.done
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#step()
        if (!this.#isOver && this.#open.inFlight > 0) await this.#wait()
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'the deliveries to a webhook endpoint wait')
        // The lease expires by itself.
        if (this.#isStopping && this.#open.inFlight === 0) return
        await sleep(STORAGE_PAUSE_MS)
      }
    }
  }

  async #step(): Promise<void> {
    this.#isAwake = false
    this.#settler.throwFailure()
    this.#settler.start()
    if (!(await this.#held.extendIfDue())) this.#isOver = true
    else if (this.#maySend() && this.#pace.isDue()) await this.#claim()
    // The last results are settled together with the decision to give the lease back.
    if (!this.#isOver && this.#open.inFlight === 0)
      await this.#settler.finish(this.#isStopping ? 'always' : 'idle')
    if (this.#settler.isOver) this.#isOver = true
  }

  #maySend(): boolean {
    return !this.#isStopping && this.#held.maySend()
  }

  /** Takes slots, reads what is due, and sends it at once. */
  async #claim(): Promise<void> {
    this.#pace.start()
    const leased = await this.#deps.claims.readEndpoint(this.#held.lease)
    if (leased === undefined) {
      this.#isOver = true
      return
    }
    const { slots } = this.#deps
    const { workspaceId } = this.#held.lease
    const timeoutMs = this.#open.inFlight === 0 ? SLOT_TIMEOUT_MS : 0
    const granted = await slots.acquire(workspaceId, this.#pace.countFree(leased), timeoutMs)
    let unused = granted
    try {
      // The endpoint may have changed, or the lease may have expired, while this waited for a slot.
      if (granted === 0 || this.#pace.getAge() >= MAX_READ_MS) return
      const receiver = await this.#openReceiver(leased)
      if (receiver === undefined) return
      const due = await this.#deps.claims.listDue(this.#held.lease, granted, this.#open.keys)
      this.#pace.end(due.length, granted)
      const isProbe = leased.health.state === 'failing'
      for (const delivery of due) this.#send(receiver, delivery, isProbe)
      unused -= due.length
    } finally {
      slots.release(workspaceId, unused)
    }
  }

  /** Undefined if no key opens its secrets: then the lease is given back until the next probe. */
  async #openReceiver({ endpoint, at }: LeasedEndpoint): Promise<Receiver | undefined> {
    try {
      return await this.#receivers.open(endpoint, at)
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      const { endpointId } = endpoint
      this.#deps.log.error({ err: error, endpointId }, 'no key opens the secrets of an endpoint')
      await this.#settler.finish('never')
      await this.#deps.settlements.postpone(this.#held.lease, 'key_missing')
      this.#isOver = true
      return undefined
    }
  }

  #send(receiver: Receiver, delivery: DueDelivery, isProbe: boolean): void {
    this.#open.start(delivery)
    const { signal } = this.#interruption
    // The round may have been started by any request.
    runJob('webhooks', () => attemptDelivery(this.#deps, receiver, delivery, { isProbe, signal }))
      .catch((error) => {
        this.#deps.log.error({ err: error }, 'a webhook could not be sent')
        return undefined
      })
      .then((result) => this.#accept(receiver, delivery, result))
  }

  #accept({ endpoint }: Receiver, delivery: DueDelivery, result: AttemptResult | undefined): void {
    this.#open.finish(delivery, result)
    this.#deps.slots.release(this.#held.lease.workspaceId)
    if (result !== undefined) {
      this.#pace.accept(result, endpoint.maxInFlight)
      this.#deps.onResult(result, this.#held.lease.workspaceId)
      if (!this.#isOver) this.#settler.start()
    }
    this.#wake()
  }

  #wake(): void {
    this.#isAwake = true
    this.#wakeUp()
  }

  /** Until there is a result, a settlement or an event, or the next claim is due. */
  async #wait(): Promise<void> {
    if (this.#isAwake) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeUp = resolve
    const timer = setTimeout(resolve, this.#pace.getPause())
    await promise
    clearTimeout(timer)
  }
}

const SLOT_TIMEOUT_MS = 5_000
const STORAGE_PAUSE_MS = 1_000
const MAX_READ_MS = 1_000

/** Decides when to claim deliveries of an endpoint, and how many. */
class ClaimPace {
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

/** How many requests an endpoint gets at once: halved when it is overloaded, and one more per 20 successes. */
export class Concurrency {
  #limit = Number.POSITIVE_INFINITY
  #successes = 0

  /** `max`: what the owner of the endpoint allows. */
  getLimit(max: number): number {
    return Math.min(this.#limit, max)
  }

  count({ outcome, status, code }: AttemptResult, max: number): void {
    if (OVERLOADED.has(status ?? 0) || code === 'timeout') {
      this.#limit = Math.max(1, Math.floor(this.getLimit(max) / 2))
      this.#successes = 0
    } else if (outcome === 'delivered') {
      this.#successes += 1
      if (this.#successes % SUCCESSES_PER_STEP === 0) this.#limit += 1
    }
  }
}

/** Too many requests, bad gateway, unavailable, gateway timeout. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504])
const SUCCESSES_PER_STEP = 20
