import { setTimeout as sleep } from 'node:timers/promises'
import { runJob } from '../../../platform/http/log-origin.ts'
import type { ObserveJob } from '../../../platform/rounds.ts'
import {
  createRefreshScheduler,
  DEFAULT_REFRESH_CONCURRENCY,
} from './background/refresh-scheduler.ts'
import type { RefreshDeps } from './refresh-deps.ts'
import { addJitter } from './refresh-schedule.ts'

/** The background loop. */
export interface RefreshLoop {
  /** Starts no new work; resolves when the work in progress has completed. */
  stop(): Promise<void>
}

export interface RefreshLoopOptions {
  /** Other work, such as deleting expired rows, in rounds of its own. Errors are logged. */
  readonly sweeps?: readonly (() => Promise<unknown>)[]
  /** Milliseconds between rounds, ±25 %. */
  readonly intervalMs?: number
  /** Measures the rounds. */
  readonly observeJob?: ObserveJob
  /** LINCHPIN_REFRESH_CONCURRENCY. */
  readonly concurrency?: number
}

/**
 * Refreshes tokens before they expire. Nodes share the work: each account is claimed by one. The sweeps run beside it, so that
 * neither waits for the other.
 */
export function startRefreshLoop(deps: RefreshDeps, options: RefreshLoopOptions = {}): RefreshLoop {
  const { sweeps = [], intervalMs = 20_000, concurrency = DEFAULT_REFRESH_CONCURRENCY } = options
  const { observeJob = (_name, run) => run } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const scheduler = createRefreshScheduler(deps, concurrency)
  const running = runJob('refresh', () =>
    Promise.all([
      runRounds([observeJob('token_refresh', () => scheduler.runRound(signal))]),
      ...(sweeps.length === 0 ? [] : [runRounds(sweeps)]),
    ]),
  )
  return {
    async stop() {
      stopping.abort()
      await scheduler.finish()
      await running
      await scheduler.finish()
    },
  }

  async function runRounds(works: readonly (() => Promise<unknown>)[]): Promise<void> {
    while (true) {
      const wait = addJitter(intervalMs)
      const isStopped = await sleep(wait, false, { signal, ref: false }).catch(() => true)
      if (isStopped) return
      for (const work of works) {
        if (signal.aborted) return
        await work().catch((error) => deps.log.warn({ err: error }, 'background work failed'))
      }
    }
  }
}

/** Runs one round: refreshes all due accounts, unless aborted. */
export async function refreshDueAccounts(
  deps: RefreshDeps,
  { signal, concurrency = DEFAULT_REFRESH_CONCURRENCY }: RefreshRoundOptions = {},
): Promise<void> {
  const scheduler = createRefreshScheduler(deps, concurrency)
  await scheduler.runRound(signal)
  await scheduler.finish()
}

export interface RefreshRoundOptions {
  readonly signal?: AbortSignal
  readonly concurrency?: number
}
