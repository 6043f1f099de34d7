import { setTimeout as sleep } from 'node:timers/promises'
import { addJitter } from '../accounts/token-refresh/refresh-schedule.ts'
import { SYSTEM_ACTOR } from '../record/change.ts'
import type { Erasure } from './erasure.ts'
import { getIdentifierContext, getLease, type RunErasureDeps, runErasure } from './run-erasure.ts'

/** The background loop. */
export interface ErasureLoop {
  /** Starts no new work; resolves when the work in progress has completed. */
  stop(): Promise<void>
}

/** Continues erasures that a process has left unfinished, until it is stopped. Several processes may do so. */
export function startErasureLoop(deps: RunErasureDeps, intervalMs = INTERVAL_MS): ErasureLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (!signal.aborted) {
      await sleep(addJitter(intervalMs), undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted)
        await resumeErasures(deps, signal).catch((error) =>
          deps.log.warn({ err: error }, 'erasures could not be continued'),
        )
    }
  }
  const running = run()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

const INTERVAL_MS = 15_000

/** Continues the erasures that are due, one after another. */
export async function resumeErasures(deps: RunErasureDeps, signal: AbortSignal): Promise<void> {
  for (const erasure of await deps.erasures.claimAbandoned(getLease(deps), BATCH))
    await resumeErasure(deps, erasure, signal).catch((error) => {
      const { erasureId } = erasure
      if (!signal.aborted)
        deps.log.warn({ err: error, erasureId }, 'an erasure could not be continued')
    })
}

const BATCH = 4

async function resumeErasure(
  deps: RunErasureDeps,
  erasure: Erasure,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, sealedIdentifier } = erasure
  if (sealedIdentifier === null) return
  const identifier = await deps.vault.openText(getIdentifierContext(erasure), sealedIdentifier)
  const customer = { workspaceId, identifier }
  await runErasure(deps, { erasure, customer, actor: SYSTEM_ACTOR, signal })
}
