import { setTimeout as sleep } from 'node:timers/promises'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import type { WebhookEndpointId } from '../webhook-endpoint.ts'
import type { SettlementOutcome, SettlementRequest } from './settlement-store.ts'

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
