import { setTimeout as sleep } from 'node:timers/promises'
import type { EgressGateway } from '@linchpin/runner'
import { runJob } from '../../../platform/http/log-origin.ts'
import { type FetchOutcome, type FetchRegistryDeps, fetchRegistry } from './fetch-registry.ts'

/** Number of fetches by this node, by outcome. */
export type RegistryFetches = Record<Exclude<FetchOutcome, 'not_due'>, number>

/** A running background task. */
export interface RegistryLoop {
  /** Resolves when the running work has ended. */
  stop(): Promise<void>
}

/** Fetches the registry at startup and whenever it is due, until the service stops. */
export function startRegistryLoop(deps: FetchRegistryDeps, fetches: RegistryFetches): RegistryLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  // Abort the fetch on shutdown instead of waiting for a slow registry.
  const egressGateway: EgressGateway = {
    ...deps.egressGateway,
    request: (request, policy) => deps.egressGateway.request(request, { ...policy, signal }),
  }
  const running = runJob('registry', run)
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }

  async function run(): Promise<void> {
    for (let isStart = true; !signal.aborted; isStart = false) {
      const outcome = await fetchRegistry({ ...deps, egressGateway }, { isStart }).catch(
        (error) => {
          deps.log.warn({ err: error }, 'background work failed')
          return 'failed' as const
        },
      )
      if (outcome !== 'not_due') fetches[outcome] += 1
      const delayMs = POLL_INTERVAL_MS * (0.75 + Math.random() / 2)
      await sleep(delayMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
}

/** With 25 % jitter, so that services do not poll in sync. The database decides which node fetches. */
const POLL_INTERVAL_MS = 60_000
