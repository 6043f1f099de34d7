import { setTimeout as sleep } from 'node:timers/promises'
import { isDue } from './is-due.ts'
import { renewAccount } from './renew-account.ts'
import type { RenewalDeps } from './renewal-deps.ts'
import { roundWaitMs } from './renewal-times.ts'

/** What runs in the background. */
export interface RenewalLoop {
  /** Starts nothing new, and resolves when what runs has ended. */
  stop(): Promise<void>
}

export interface RenewalLoopOptions {
  /** Other work of each round, such as forgetting what has ended. Its failures are logged. */
  readonly sweeps?: readonly (() => Promise<unknown>)[]
  /** Between rounds, in milliseconds, give or take a quarter. */
  readonly everyMs?: number
}

/** Renews tokens before they end, a bounded batch per round, a few at a time. Nodes share the work: leases decide. */
export function startRenewalLoop(deps: RenewalDeps, options: RenewalLoopOptions = {}): RenewalLoop {
  const { sweeps = [], everyMs = 20_000 } = options
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
      const wait = roundWaitMs(everyMs)
      const isOver = await sleep(wait, false, { signal: stopping.signal, ref: false }).catch(
        () => true,
      )
      if (isOver) return
      for (const work of [() => renewDue(deps, stopping.signal), ...sweeps]) {
        if (stopping.signal.aborted) return
        await work().catch((error) => deps.log.warn({ err: error }, 'background work failed'))
      }
    }
  }
}

/** One round: everything that is due, in batches, until there is no more. */
export async function renewDue(deps: RenewalDeps, signal?: AbortSignal): Promise<void> {
  const tried = new Set<string>()
  while (!signal?.aborted) {
    const due = (await deps.renewals.due(BATCH)).filter((id) => !tried.has(id))
    if (due.length === 0) return
    const queue = due.values()
    const work = async () => {
      for (const id of queue) {
        if (signal?.aborted) return
        tried.add(id)
        await renewOne(deps, id)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
}

async function renewOne(deps: RenewalDeps, accountId: string): Promise<void> {
  const wish = { kind: 'early' } as const
  try {
    const seen = await deps.renewals.find(accountId)
    if (seen !== undefined && isDue(seen.row, seen.at, wish)) await renewAccount(deps, seen, wish)
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'a renewal failed')
  }
}

const BATCH = 100
const AT_ONCE = 4
