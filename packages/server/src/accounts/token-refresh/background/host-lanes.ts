import type { HostScope, PausedScope } from './claim-store.ts'
import { HostLane } from './host-lane.ts'

/** Hosts of which no more accounts are to be claimed now. */
export interface SkippedHosts {
  readonly scopes: readonly HostScope[]
  /** Whether some of them only wait for a request to end. */
  readonly hasFull: boolean
}

/** The lanes of all hosts to which background refreshes go. Correctness does not depend on them: a lost lane starts again. */
export class HostLanes {
  readonly #limit: number
  readonly #lanes = new Map<string, HostLane>()

  /** @param limit maximum number of requests to a host at a time */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(host: string): HostLane {
    const lane = this.#lanes.get(host) ?? new HostLane(this.#limit)
    this.#lanes.delete(host)
    this.#lanes.set(host, lane)
    return lane
  }

  /** Forgets lanes without anything to remember, and the least recently used ones beyond the maximum. */
  prune(now: number): void {
    for (const [host, lane] of this.#lanes) {
      const isSurplus = this.#lanes.size > MAX_HOSTS && lane.running === 0
      if (isSurplus || lane.isIdle(now)) this.#lanes.delete(host)
    }
  }

  listPaused(now: number): PausedScope[] {
    return [...this.#lanes].flatMap(([host, lane]): PausedScope[] => {
      const pauseMs = lane.getPauseMs(now)
      if (pauseMs > 0) return [{ host, workspaceId: null, pauseMs }]
      return lane.listPausedTenants(now).map((tenant) => ({ host, ...tenant }))
    })
  }

  listSkipped(now: number): SkippedHosts {
    const full = [...this.#lanes].filter(([, lane]) => lane.isFull && lane.getPauseMs(now) === 0)
    const scopes = [
      ...full.map(([host]) => ({ host, workspaceId: null })),
      ...this.listPaused(now).map(({ host, workspaceId }) => ({ host, workspaceId })),
    ]
    return { scopes: scopes.slice(0, MAX_SKIPPED), hasFull: full.length > 0 }
  }
}

const MAX_HOSTS = 5_000
/** Those beyond it are claimed and released. */
const MAX_SKIPPED = 1_000
