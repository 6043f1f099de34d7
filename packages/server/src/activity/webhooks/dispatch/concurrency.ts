import type { AttemptResult } from './plan-settlement.ts'

/** How many requests an endpoint gets at once: halved when it is overloaded, and one more per 20 successes. */
export class Concurrency {
  #limit = Number.POSITIVE_INFINITY
  #successes = 0

  /** `max`: what the owner of the endpoint allows. */
  getLimit(max: number): number {
    return Math.min(this.#limit, max)
  }

  count({ outcome, status, code }: AttemptResult, max: number): void {
    if (OVERLOADED.has(status ?? 0) || code === 'timeout') {
      this.#limit = Math.max(1, Math.floor(this.getLimit(max) / 2))
      this.#successes = 0
    } else if (outcome === 'delivered') {
      this.#successes += 1
      if (this.#successes % SUCCESSES_PER_STEP === 0) this.#limit += 1
    }
  }
}

/** Too many requests, bad gateway, unavailable, gateway timeout. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504])
const SUCCESSES_PER_STEP = 20
