import { ApiError } from '../errors.ts'

/** Requests through the proxy that one workspace may have under way on one node. */
export const MAX_UNDER_WAY = 100

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
  take(workspaceId: string): () => void {
    const slots = this.#workspaces.get(workspaceId) ?? { count: 0, averageMs: 0 }
    if (slots.count >= this.#limit) throw this.#full(slots.averageMs)
    const from = this.#now()
    slots.count += 1
    this.#workspaces.set(workspaceId, slots)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      slots.count -= 1
      slots.averageMs += (this.#now() - from - slots.averageMs) * WEIGHT
      if (slots.count === 0) this.#workspaces.delete(workspaceId)
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
const WEIGHT = 0.1
