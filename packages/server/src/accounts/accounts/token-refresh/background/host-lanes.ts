import type { HostScope } from '../skipped-hosts-store.ts'
import { HostLane } from './host-lane.ts'

/** Hosts of which no more accounts are to be claimed now. */
export interface SkippedHosts {
  /** They do not respond, or are being probed. */
  readonly paused: readonly HostScope[]
  /** They only wait for a request to end. */
  readonly full: readonly HostScope[]
  /** Whether there are more. */
  readonly isTruncated: boolean
  /** Whether more can be claimed when a request ends. */
  readonly isWaiting: boolean
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

  /** The hosts that do not respond. */
  listOpen(now: number): HostScope[] {
    return [...this.#lanes]
      .flatMap(([host, lane]) => lane.listOpen(now).map((workspaceId) => ({ host, workspaceId })))
      .slice(0, MAX_SKIPPED)
  }

  listSkipped(now: number): SkippedHosts {
    const lanes = [...this.#lanes]
    const paused = lanes.flatMap(([host, lane]): HostScope[] =>
      lane.isPaused(now)
        ? [{ host, workspaceId: null }]
        : lane.listPausedTenants(now).map((workspaceId) => ({ host, workspaceId })),
    )
    const full = lanes.filter(([, lane]) => lane.isFull && !lane.isPaused(now))
    return {
      paused: paused.slice(0, MAX_SKIPPED),
      full: full.map(([host]) => ({ host, workspaceId: null })),
      isTruncated: paused.length > MAX_SKIPPED,
      isWaiting: lanes.some(([, lane]) => lane.isFull || lane.isProbed),
    }
  }
}

const MAX_HOSTS = 5_000
/** Those beyond it are claimed and released. */
const MAX_SKIPPED = 5_000
