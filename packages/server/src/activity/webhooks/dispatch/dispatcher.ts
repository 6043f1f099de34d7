import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { EgressGateway } from '@linchpin/runner'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { Log } from '../../../platform/http/log.ts'
import { startRounds } from '../../../platform/rounds.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { type StatisticsCounter, UNCOUNTED } from '../../statistics/statistics.ts'
import { createDeliveryClaimStore } from './claim-store.ts'
import { createSettlementGroup } from './endpoint-settler.ts'
import { EndpointWorker, type EndpointWorkerDeps } from './endpoint-worker.ts'
import { createLeaseStore, type DueEndpoint, HeldLease } from './lease-store.ts'
import type { AttemptResult } from './plan-settlement.ts'
import { RequestSlots } from './request-slots.ts'
import { createSettlementStore, type SettlementOptions } from './settlement-store.ts'

export interface DispatcherDeps extends Pick<SettlementOptions, 'onTransition'> {
  readonly database: Database
  readonly vault: Pick<Vault, 'openText'>
  readonly egressGateway: EgressGateway
  readonly log: Log
  readonly now: () => number
  /** Counts deliveries of workspaces. Default: nothing does. */
  readonly statistics?: StatisticsCounter | undefined
  /** Default: 30 seconds. Tests use shorter leases. */
  readonly leaseMs?: number
}

/** Counters since the start. */
export interface DispatcherStats {
  readonly attempts: Readonly<Record<AttemptResult['outcome'], number>>
  /** Requests now. */
  readonly inFlight: number
}

/** Sends the deliveries of all workspaces. */
export interface Dispatcher {
  /** There are new events in these workspaces. */
  wake(workspaceIds: readonly WorkspaceId[]): void
  stats(): DispatcherStats
  /** The number of endpoints by state. */
  countStates(): Promise<ReadonlyMap<string, number>>
  /** For how long the endpoint that is due the longest has been due, on all nodes, in milliseconds; 0 if none is. */
  readLagMs(): Promise<number>
  /** Sends nothing new, waits at most 8 s for what is in flight, settles it, and gives the leases back. */
  stop(): Promise<void>
}

interface ActiveWorker extends DueEndpoint {
  readonly worker: EndpointWorker
}

/** Any number of nodes may do so on one database: an endpoint has one sender at a time. */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { database, now, log, leaseMs = LEASE_MS, statistics = UNCOUNTED } = deps
  const leases = createLeaseStore(database, now)
  const workers = new Map<string, ActiveWorker>()
  const slots = new RequestSlots(MAX_REQUESTS, MAX_REQUESTS_PER_TENANT)
  const attempts = { delivered: 0, failed: 0, given_up: 0, event_deleted: 0, postponed: 0 }
  const settlements = createSettlementStore(database, now)
  const settlementOptions = { node: hostname(), onTransition: deps.onTransition }
  const workerDeps: EndpointWorkerDeps = {
    ...deps,
    slots,
    settlements,
    claims: createDeliveryClaimStore(database, now),
    settlementGroup: createSettlementGroup((requests) =>
      settlements.settle(requests, settlementOptions),
    ),
    onResult: ({ outcome, code }, workspaceId) => {
      attempts[outcome] += 1
      if (outcome === 'event_deleted' || outcome === 'postponed') return
      statistics.add({ workspaceId, metric: 'deliveries' })
      if (outcome !== 'delivered')
        statistics.add({ workspaceId, metric: 'delivery_failures', code })
    },
  }
  // One process uses the file of SQLite: the leases of its predecessor have no holder.
  const isReady = database.dialect === 'sqlite' ? leases.clear() : Promise.resolve()
  isReady.catch((error) => log.warn({ err: error }, 'old leases could not be ended'))
  const rounds = startRounds({
    async round() {
      await isReady.catch(() => {})
      const due = selectDue(await leases.listDue(), workers)
      await Promise.all(due.map(acquire))
      return false
    },
    onError: (error) => log.warn({ err: error }, 'webhooks wait for the database'),
    pollMs: ROUND_MS,
  })

  async function acquire(endpoint: DueEndpoint): Promise<void> {
    const lease = { ...endpoint, owner: randomUUID() }
    const acquiredAt = performance.now()
    if (!(await leases.acquire(lease, leaseMs))) return
    const worker = new EndpointWorker(
      workerDeps,
      new HeldLease(leases, lease, { leaseMs, acquiredAt }),
    )
    workers.set(lease.endpointId, { ...lease, worker })
    void worker.done.then(() => {
      workers.delete(lease.endpointId)
      rounds.wake()
    })
  }

  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    await rounds.stop()
    const deadline = AbortSignal.timeout(STOP_MS)
    await Promise.all([...workers.values()].map(({ worker }) => worker.stop(deadline)))
  }

  return {
    wake(workspaceIds) {
      for (const { workspaceId, worker } of workers.values())
        if (workspaceIds.includes(workspaceId)) worker.notify()
      rounds.wake()
    },
    stats: () => ({ attempts, inFlight: slots.used }),
    countStates: () => leases.countStates(),
    readLagMs: () => leases.readLagMs(),
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Few of one tenant; and above 16 of this node, four per round, so that idle nodes get their share. */
function selectDue(
  due: readonly DueEndpoint[],
  workers: ReadonlyMap<string, ActiveWorker>,
): DueEndpoint[] {
  const counts = new Map<string, number>()
  for (const { workspaceId } of workers.values())
    counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
  const selected: DueEndpoint[] = []
  const maxNew = Math.max(MAX_NEW_LEASES, UNSHARED_LEASES - workers.size)
  for (const endpoint of due) {
    const count = counts.get(endpoint.workspaceId) ?? 0
    if (selected.length >= maxNew || workers.size + selected.length >= MAX_LEASES) break
    if (count >= MAX_LEASES_PER_TENANT || workers.has(endpoint.endpointId)) continue
    counts.set(endpoint.workspaceId, count + 1)
    selected.push(endpoint)
  }
  return selected
}

const ROUND_MS = 250
const LEASE_MS = 30_000
const STOP_MS = 8_000
const MAX_NEW_LEASES = 4
const UNSHARED_LEASES = 16
const MAX_LEASES = 256
const MAX_LEASES_PER_TENANT = 32
const MAX_REQUESTS = 256
const MAX_REQUESTS_PER_TENANT = 64
