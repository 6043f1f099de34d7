import { setTimeout as sleep } from 'node:timers/promises'
import { runJob } from '../../http/log-origin.ts'
import type { AccountId } from '../account.ts'
import { refreshAccount } from './refresh-account.ts'
import type { RefreshDeps } from './refresh-deps.ts'
import { addJitter, needsRefresh } from './refresh-schedule.ts'

/** The background loop. */
export interface RefreshLoop {
  /** Starts no new work; resolves when the work in progress has completed. */
  stop(): Promise<void>
}

export interface RefreshLoopOptions {
  /** Other work of each round, such as deleting expired rows. Errors are logged. */
  readonly sweeps?: readonly (() => Promise<unknown>)[]
  /** Milliseconds between rounds, ±25 %. */
  readonly intervalMs?: number
}

/** Refreshes tokens before they expire, in batches with bounded concurrency. Nodes share the work through leases. */
export function startRefreshLoop(deps: RefreshDeps, options: RefreshLoopOptions = {}): RefreshLoop {
  const { sweeps = [], intervalMs = 20_000 } = options
  const stopping = new AbortController()
  const running = runJob('refresh', run)
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }

  async function run(): Promise<void> {
    while (true) {
      const wait = addJitter(intervalMs)
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

/** Runs one round: refreshes all due accounts, in batches, unless aborted. */
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

async function refreshIfDue(deps: RefreshDeps, accountId: AccountId): Promise<void> {
  const reason = { kind: 'scheduled' } as const
  try {
    const snapshot = await deps.refreshStore.find(accountId)
    if (snapshot !== undefined && needsRefresh(snapshot.row, snapshot.readAt, reason))
      await refreshAccount(deps, snapshot, reason)
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'a token refresh failed')
  }
}

const BATCH_SIZE = 100
const CONCURRENCY = 4
