import { setTimeout as sleep } from 'node:timers/promises'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import type { DeliveryKey } from './claim-store.ts'
import type { EndpointLease } from './lease-store.ts'
import type { AttemptResult } from './plan-settlement.ts'
import type { ReleaseCondition, SettlementOutcome, SettlementRequest } from './settlement-store.ts'

/** Settles what was sent to one endpoint, one settlement at a time. */
export class EndpointSettler {
  readonly #group: SettlementGroup
  readonly #lease: EndpointLease
  readonly #open: OpenDeliveries
  readonly #onSettled: () => void
  #running: Promise<void> | undefined
  #failure: unknown
  #isOver = false

  /** `onSettled`: called after each settlement, successful or not. */
  constructor(
    group: SettlementGroup,
    lease: EndpointLease,
    { open, onSettled }: { readonly open: OpenDeliveries; readonly onSettled: () => void },
  ) {
    this.#group = group
    this.#lease = lease
    this.#open = open
    this.#onSettled = onSettled
  }

  /** Whether the lease was given back or lost. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Settles the results there are, in the background. `throwFailure` throws what has failed. */
  start(): void {
    if (this.#isOver || this.#open.results.length === 0) return
    void this.#begin('never')
  }

  /** Settles all results, and gives the lease back as `release` says. */
  async finish(release: ReleaseCondition): Promise<void> {
    await this.#running
    if (this.#isOver) return
    await this.#begin(release)
    this.throwFailure()
  }

  throwFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  #begin(release: ReleaseCondition): Promise<void> {
    this.#running ??= this.#settle(release)
      .catch((error) => {
        this.#failure = error
      })
      .finally(() => {
        this.#running = undefined
        this.#onSettled()
      })
    return this.#running
  }

  async #settle(release: ReleaseCondition): Promise<void> {
    let results: readonly AttemptResult[] = []
    const take = () => {
      results = this.#open.results.slice(0, MAX_RESULTS)
      const isAll = results.length === this.#open.size
      return { lease: this.#lease, results, release: isAll ? release : 'never' }
    }
    const settled = await this.#group.settle(take, release !== 'never')
    if (settled === undefined || settled.isReleased) this.#isOver = true
    this.#open.settle(results)
  }
}

const MAX_RESULTS = 128

/** Settles the results of all endpoints of a node. */
export interface SettlementGroup {
  /**
   * Joins the next transaction, which starts within 10 ms, or at once if it `isUrgent`. `take` is called when it starts, so
   * results that arrive until then are included. Undefined, and stores nothing, if the lease was lost.
   */
  settle(
    take: () => SettlementRequest,
    isUrgent: boolean,
  ): Promise<{ readonly isReleased: boolean } | undefined>
}

/** As the store does it. */
export type Settle = (
  requests: readonly SettlementRequest[],
) => Promise<ReadonlyMap<WebhookEndpointId, SettlementOutcome>>

interface Waiting {
  readonly take: () => SettlementRequest
  readonly resolve: (settled: { readonly isReleased: boolean } | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Endpoints share transactions, and so commits. None delays another one: one that is locked waits for the next transaction,
 * and after a failure each is settled alone.
 */
export function createSettlementGroup(settle: Settle): SettlementGroup {
  let waiting: Waiting[] = []
  let hurry = new AbortController()
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      await sleep(GROUP_MS, undefined, { signal: hurry.signal }).catch(() => {})
      hurry = new AbortController()
      const group = waiting.slice(0, MAX_ENDPOINTS)
      waiting = waiting.slice(MAX_ENDPOINTS)
      await settleGroup(group).catch((error) => settleEach(group, error))
    }
    isRunning = false
  }

  /** A database that is away fails for each of them. */
  async function settleEach(group: readonly Waiting[], error: unknown): Promise<void> {
    const isAway =
      error instanceof StorageError && error.kind !== 'unique' && error.kind !== 'reference'
    if (isAway || group.length === 1) for (const each of group) each.reject(error)
    else for (const each of group) await settleGroup([each]).catch(each.reject)
  }

  async function settleGroup(group: readonly Waiting[]): Promise<void> {
    const taken = group.map((each) => ({ each, request: each.take() }))
    const outcomes = await settle(taken.map(({ request }) => request))
    for (const { each, request } of taken) {
      const outcome = outcomes.get(request.lease.endpointId)
      if (outcome === 'locked') waiting.push(each)
      else each.resolve(outcome)
    }
  }

  return {
    settle(take, isUrgent) {
      const { promise, resolve, reject } = Promise.withResolvers<
        { readonly isReleased: boolean } | undefined
      >()
      waiting.push({ take, resolve, reject })
      if (isUrgent) hurry.abort()
      if (!isRunning) void run()
      return promise
    },
  }
}

const GROUP_MS = 10
const MAX_ENDPOINTS = 64

/** The deliveries of an endpoint that this process has claimed: in flight, or not settled yet. */
export class OpenDeliveries {
  readonly #keys = new Map<string, DeliveryKey>()
  #results: AttemptResult[] = []
  #inFlight = 0

  /** Number of requests now. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Of the attempts that are not settled, the oldest first. */
  get results(): readonly AttemptResult[] {
    return this.#results
  }

  get keys(): readonly DeliveryKey[] {
    return [...this.#keys.values()]
  }

  get size(): number {
    return this.#keys.size
  }

  start({ sequence, round }: DeliveryKey): void {
    this.#keys.set(toText({ sequence, round }), { sequence, round })
    this.#inFlight += 1
  }

  /** Without a result, nothing is known about the delivery, and it may be claimed again. */
  finish(key: DeliveryKey, result: AttemptResult | undefined): void {
    this.#inFlight -= 1
    if (result === undefined) this.#keys.delete(toText(key))
    else this.#results.push(result)
  }

  /** These results, the oldest, are settled. */
  settle(results: readonly AttemptResult[]): void {
    this.#results = this.#results.slice(results.length)
    for (const { delivery } of results) this.#keys.delete(toText(delivery))
  }
}

function toText({ sequence, round }: DeliveryKey): string {
  return `${sequence}.${round}`
}
