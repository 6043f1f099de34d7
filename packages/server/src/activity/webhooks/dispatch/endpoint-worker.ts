import { setTimeout as sleep } from 'node:timers/promises'
import type { EgressGateway } from '@linchpin/runner'
import type { Log } from '../../../platform/http/log.ts'
import { runJob } from '../../../platform/http/log-origin.ts'
import { VaultError } from '../../../platform/vault/sealed-box.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { attemptDelivery, type Receiver } from './attempt-delivery.ts'
import { ClaimPace } from './claim-pace.ts'
import type { ClaimStore, DueDelivery, LeasedEndpoint } from './claim-store.ts'
import { EndpointSettler } from './endpoint-settler.ts'
import type { HeldLease } from './held-lease.ts'
import { OpenDeliveries } from './open-deliveries.ts'
import type { AttemptResult } from './plan-settlement.ts'
import { ReceiverCache } from './receiver-cache.ts'
import type { RequestSlots } from './request-slots.ts'
import type { SettlementGroup } from './settlement-group.ts'
import type { SettlementStore } from './settlement-store.ts'

export interface EndpointWorkerDeps {
  readonly claims: ClaimStore
  readonly settlements: Pick<SettlementStore, 'postpone'>
  readonly settlementGroup: SettlementGroup
  readonly vault: Pick<Vault, 'openText'>
  readonly egressGateway: EgressGateway
  readonly slots: RequestSlots
  readonly log: Log
  readonly now: () => number
  /** Called with each result. */
  readonly onResult: (result: AttemptResult) => void
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
      this.#deps.onResult(result)
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
