import { ApiError } from '../errors.ts'

/** Requests through the proxy that one workspace may have under way on one node. */
export const MAX_CONCURRENT_REQUESTS = 100

/** The requests through the proxy that each workspace has under way on this node. */
export class ProxySlots {
  readonly #limit: number
  readonly #now: () => number
  readonly #workspaces = new Map<string, { count: number; averageMs: number }>()

  /** `limit`: requests of one workspace. `now`: milliseconds of a clock that never goes back. */
  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /**
   * Takes a slot. Answers what gives it back.
   *
   * @throws ApiError `overloaded` when the workspace has none left
   */
  acquire(workspaceId: string): () => void {
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

  /** A slot becomes free about once in so long as all of them take on average. */
  #full(averageMs: number): ApiError {
    const seconds = Math.max(1, Math.ceil(averageMs / this.#limit / 1_000))
    return new ApiError(
      'overloaded',
      `This workspace has ${this.#limit} requests to providers under way. Wait until some are answered.`,
      { headers: { 'retry-after': String(seconds) } },
    )
  }
}

/** Of the latest request in the average. */
const AVERAGE_WEIGHT = 0.1
