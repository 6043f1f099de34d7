import { setTimeout as sleep } from 'node:timers/promises'
import type { EgressGateway } from '@linchpin/runner'
import { type FetchOutcome, type FetchRegistryDeps, fetchRegistry } from './fetch-registry.ts'

/** Fetches of this node, by what came of them. */
export type RegistryFetches = Record<Exclude<FetchOutcome, 'not_due'>, number>

/** What runs in the background. */
export interface RegistryLoop {
  /** Resolves when what runs has ended. */
  stop(): Promise<void>
}

/** Fetches the registry at start and whenever it is time, as long as the service runs. */
export function startRegistryLoop(deps: FetchRegistryDeps, fetches: RegistryFetches): RegistryLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  // A service that ends does not wait for a registry that is slow.
  const egressGateway: EgressGateway = {
    ...deps.egressGateway,
    request: (request, policy) => deps.egressGateway.request(request, { ...policy, signal }),
  }
  const running = run()
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

/** Give or take a quarter, so that services do not ask in step. The turn itself is in the database. */
const POLL_INTERVAL_MS = 60_000
