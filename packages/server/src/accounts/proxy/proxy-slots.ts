import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { ApiError } from '../../platform/errors.ts'

/** Maximum number of concurrent proxied requests of one workspace on one node. */
export const MAX_CONCURRENT_REQUESTS = 100

/** Counts the concurrent proxied requests of each workspace on this node. */
export class ProxySlots {
  readonly #limit: number
  readonly #now: () => number
  readonly #workspaces = new Map<string, { count: number; averageMs: number }>()

  /** `limit`: requests per workspace. `now`: a monotonic clock in milliseconds. */
  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /**
   * Acquires a slot. Returns the function that releases it.
   *
   * @throws ApiError `overloaded` if the workspace has no free slot
   */
  acquire(workspaceId: WorkspaceId): () => void {
    const usage = this.#workspaces.get(workspaceId) ?? { count: 0, averageMs: 0 }
    if (usage.count >= this.#limit) throw this.#full(usage.averageMs)
    const startedAt = this.#now()
    usage.count += 1
    this.#workspaces.set(workspaceId, usage)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      usage.count -= 1
      usage.averageMs += (this.#now() - startedAt - usage.averageMs) * AVERAGE_WEIGHT
      if (usage.count === 0) this.#workspaces.delete(workspaceId)
    }
  }

  /** The average time until a slot becomes free. */
  #full(averageMs: number): ApiError {
    const seconds = Math.max(1, Math.ceil(averageMs / this.#limit / 1_000))
    return new ApiError(
      'overloaded',
      `This workspace has ${this.#limit} requests to providers in progress. Wait until some have finished.`,
      { headers: { 'retry-after': String(seconds) } },
    )
  }
}

/** Weight of the latest request in the average. */
const AVERAGE_WEIGHT = 0.1
