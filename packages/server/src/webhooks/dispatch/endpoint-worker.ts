import { setTimeout as sleep } from 'node:timers/promises'
import type { EgressGateway } from '@linchpin/runner'
import type { Log } from '../../http/log.ts'
import { VaultError } from '../../vault/sealed-box.ts'
import type { Vault } from '../../vault/vault.ts'
import { attemptDelivery, openReceiver, type Receiver } from './attempt-delivery.ts'
import type { ClaimStore, DueDelivery, LeasedEndpoint } from './claim-store.ts'
import { Concurrency } from './concurrency.ts'
import { countFreeRequests } from './count-free-requests.ts'
import type { HeldLease } from './held-lease.ts'
import type { AttemptResult } from './plan-settlement.ts'
import type { RequestSlots } from './request-slots.ts'
import type { Release, SettlementOptions, SettlementStore } from './settlement-store.ts'

export interface EndpointWorkerDeps extends Omit<SettlementOptions, 'release'> {
  readonly claims: ClaimStore
  readonly settlements: SettlementStore
  readonly vault: Pick<Vault, 'openText'>
  readonly egressGateway: EgressGateway
  readonly slots: RequestSlots
  readonly log: Log
  readonly now: () => number
  /** Called with each result. */
  readonly onResult: (result: AttemptResult) => void
}

/**
 * Sends the deliveries of one endpoint while this process has its lease. Reads and settlements take turns: a read that
 * started before a settlement would return what was settled.
 */
export class EndpointWorker {
  /** Resolves when the lease is given back or lost. */
  readonly done: Promise<void>
  readonly #deps: EndpointWorkerDeps
  readonly #held: HeldLease
  readonly #concurrency = new Concurrency()
  /** In flight, or not settled yet. */
  readonly #claimed = new Set<string>()
  readonly #interruption = new AbortController()
  #inFlight = 0
  #results: AttemptResult[] = []
  #claimedAt = Number.NEGATIVE_INFINITY
  /** When the oldest result arrived that is not settled. */
  #resultAt = 0
  #mayHaveMore = true
  #isStopping = false
  #wakeUp: () => void = () => {}

  constructor(deps: EndpointWorkerDeps, held: HeldLease) {
    this.#deps = deps
    this.#held = held
    this.done = this.#run()
  }

  /** There may be new deliveries. */
  notify(): void {
    this.#mayHaveMore = true
    this.#wakeUp()
  }

  /** Sends nothing new, waits for what is in flight until `deadline`, settles, and gives the lease back. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#isStopping = true
    deadline.addEventListener('abort', () => this.#interruption.abort())
    this.#wakeUp()
    await this.done
  }

  async #run(): Promise<void> {
    while (true) {
      try {
        if (!(await this.#step())) return
        await this.#waitForResult()
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'the deliveries to a webhook endpoint wait')
        // The lease expires by itself.
        if (this.#isStopping && this.#inFlight === 0) return
        await sleep(STORAGE_PAUSE_MS)
      }
    }
  }

  /** Returns false when the lease is given back or lost. */
  async #step(): Promise<boolean> {
    if (!(await this.#held.extendIfDue())) return false
    if (this.#isSettlementDue() && !(await this.#settle('never'))) return false
    if (this.#isClaimDue() && !(await this.#claim())) return false
    if (this.#inFlight > 0) return true
    return this.#settle(this.#isStopping ? 'always' : 'idle')
  }

  /** The last results are settled together with the decision to give the lease back. */
  #isSettlementDue(): boolean {
    if (this.#results.length === 0 || this.#inFlight === 0) return false
    const isOld = performance.now() - this.#resultAt >= SETTLEMENT_MS
    return isOld || this.#results.length >= SETTLEMENT_SIZE
  }

  /** Returns false when the lease is given back or lost. */
  async #settle(release: Release): Promise<boolean> {
    const results = this.#results.slice(0, SETTLEMENT_SIZE)
    const { settlements, node, onTransition } = this.#deps
    const isAll = results.length === this.#results.length
    const options = { node, onTransition, release: isAll ? release : 'never' } as const
    const settled = await settlements.settle(this.#held.lease, results, options)
    if (settled === undefined) return false
    this.#results = this.#results.slice(results.length)
    this.#resultAt = performance.now()
    for (const { delivery } of results) this.#claimed.delete(getKey(delivery))
    this.#mayHaveMore = true
    return !settled.isReleased
  }

  #isClaimDue(): boolean {
    if (this.#isStopping || !this.#held.maySend()) return false
    const waitedMs = performance.now() - this.#claimedAt
    return (
      this.#inFlight === 0 ||
      waitedMs >= CLAIM_PAUSE_MS ||
      (this.#mayHaveMore && waitedMs >= MIN_CLAIM_PAUSE_MS)
    )
  }

  /** Takes slots, reads what is due, and sends it at once. Returns false when the lease is lost. */
  async #claim(): Promise<boolean> {
    this.#claimedAt = performance.now()
    const leased = await this.#deps.claims.readEndpoint(this.#held.lease)
    if (leased === undefined) return false
    const { slots } = this.#deps
    const { workspaceId } = this.#held.lease
    const timeoutMs = this.#inFlight === 0 ? SLOT_TIMEOUT_MS : 0
    const free = countFreeRequests(leased, {
      limit: this.#concurrency.getLimit(leased.endpoint.maxInFlight),
      ...{ results: this.#results, inFlight: this.#inFlight, claimed: this.#claimed.size },
    })
    const granted = await slots.acquire(workspaceId, free, timeoutMs)
    let unused = granted
    try {
      // The endpoint may have changed, or the lease may have expired, while this waited for a slot.
      const isCurrent = performance.now() - this.#claimedAt < MAX_READ_MS
      if (granted === 0 || !isCurrent) return true
      const due = await this.#readDue(granted)
      const receiver = await this.#openReceiver(leased)
      if (receiver === undefined) return false
      const isProbe = leased.health.state === 'failing'
      for (const delivery of due) this.#send(receiver, delivery, isProbe)
      unused -= due.length
      return true
    } finally {
      slots.release(workspaceId, unused)
    }
  }

  async #readDue(limit: number): Promise<DueDelivery[]> {
    const due = await this.#deps.claims.listDue(this.#held.lease, limit + this.#claimed.size)
    const free = due.filter((delivery) => !this.#claimed.has(getKey(delivery))).slice(0, limit)
    this.#mayHaveMore = free.length === limit
    return free
  }

  /** Undefined if no key opens its secrets: then the lease is given back until the next probe. */
  async #openReceiver({ endpoint, at }: LeasedEndpoint): Promise<Receiver | undefined> {
    try {
      return await openReceiver(this.#deps.vault, endpoint, at)
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      const { endpointId } = endpoint
      this.#deps.log.error({ err: error, endpointId }, 'no key opens the secrets of an endpoint')
      if (this.#results.length > 0) await this.#settle('never')
      await this.#deps.settlements.postpone(this.#held.lease, 'key_missing')
      return undefined
    }
  }

  #send(receiver: Receiver, delivery: DueDelivery, isProbe: boolean): void {
    this.#claimed.add(getKey(delivery))
    this.#inFlight += 1
    const { signal } = this.#interruption
    attemptDelivery(this.#deps, receiver, delivery, { isProbe, signal })
      .then((result) => this.#accept(receiver, delivery, result))
      .catch((error) => {
        this.#claimed.delete(getKey(delivery))
        this.#deps.log.error({ err: error }, 'a webhook could not be sent')
      })
      .finally(() => {
        this.#inFlight -= 1
        this.#deps.slots.release(this.#held.lease.workspaceId)
        this.#wakeUp()
      })
  }

  #accept({ endpoint }: Receiver, delivery: DueDelivery, result?: AttemptResult): void {
    if (result === undefined) return void this.#claimed.delete(getKey(delivery))
    if (this.#results.length === 0) this.#resultAt = performance.now()
    this.#results.push(result)
    this.#concurrency.count(result, endpoint.maxInFlight)
    this.#deps.onResult(result)
  }

  async #waitForResult(): Promise<void> {
    if (this.#inFlight === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeUp = resolve
    const timer = setTimeout(resolve, this.#results.length > 0 ? SETTLEMENT_MS : IDLE_MS)
    await promise
    clearTimeout(timer)
  }
}

const SETTLEMENT_SIZE = 128
const SETTLEMENT_MS = 20
/** Between two looks for new deliveries, when nothing indicates that there are any. */
const CLAIM_PAUSE_MS = 1_000
/** Several requests that end at about the same time are replaced together. */
const MIN_CLAIM_PAUSE_MS = 5
const IDLE_MS = 250
const SLOT_TIMEOUT_MS = 5_000
const STORAGE_PAUSE_MS = 1_000
const MAX_READ_MS = 1_000

function getKey({ sequence, round }: Pick<DueDelivery, 'sequence' | 'round'>): string {
  return `${sequence}.${round}`
}
