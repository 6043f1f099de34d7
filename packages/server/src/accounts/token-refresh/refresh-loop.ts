import { setTimeout as sleep } from 'node:timers/promises'
import { refreshAccount } from './refresh-account.ts'
import type { RefreshDeps } from './refresh-deps.ts'
import { jitteredInterval, needsRefresh } from './refresh-schedule.ts'

/** What runs in the background. */
export interface RefreshLoop {
  /** Starts nothing new, and resolves when what runs has ended. */
  stop(): Promise<void>
}

export interface RefreshLoopOptions {
  /** Other work of each round, such as forgetting what has ended. Its failures are logged. */
  readonly sweeps?: readonly (() => Promise<unknown>)[]
  /** Between rounds, in milliseconds, give or take a quarter. */
  readonly intervalMs?: number
}

/** Renews tokens before they end, a bounded batch per round, a few at a time. Nodes share the work: leases decide. */
export function startRefreshLoop(deps: RefreshDeps, options: RefreshLoopOptions = {}): RefreshLoop {
  const { sweeps = [], intervalMs = 20_000 } = options
  const stopping = new AbortController()
  const running = run()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }

  async function run(): Promise<void> {
    while (true) {
      const wait = jitteredInterval(intervalMs)
      const isStopped = await sleep(wait, false, { signal: stopping.signal, ref: false }).catch(
        () => true,
      )
      if (isStopped) return
      for (const work of [() => refreshDueAccounts(deps, stopping.signal), ...sweeps]) {
        if (stopping.signal.aborted) return
        await work().catch((error) => deps.log.warn({ err: error }, 'background work failed'))
      }
    }
  }
}

/** One round: everything that is due, in batches, until there is no more. */
export async function refreshDueAccounts(deps: RefreshDeps, signal?: AbortSignal): Promise<void> {
  const attempted = new Set<string>()
  while (!signal?.aborted) {
    const due = (await deps.refreshStore.findDue(BATCH_SIZE)).filter((id) => !attempted.has(id))
    if (due.length === 0) return
    const queue = due.values()
    const work = async () => {
      for (const id of queue) {
        if (signal?.aborted) return
        attempted.add(id)
        await refreshIfDue(deps, id)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
  }
}

async function refreshIfDue(deps: RefreshDeps, accountId: string): Promise<void> {
  const reason = { kind: 'early' } as const
  try {
    const snapshot = await deps.refreshStore.find(accountId)
    if (snapshot !== undefined && needsRefresh(snapshot.row, snapshot.readAt, reason))
      await refreshAccount(deps, snapshot, reason)
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'a renewal failed')
  }
}

const BATCH_SIZE = 100
const CONCURRENCY = 4
