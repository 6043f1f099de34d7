/** The running calls that block a queued call. */
export interface BlockingCalls {
  /** How long each of them has been running, in milliseconds. */
  readonly runningForMs: readonly number[]
  /** Recent average duration of such calls; undefined if none has ended yet. */
  readonly averageMs: number | undefined
}

/**
 * How long the queued call with `callsAhead` others ahead of it will wait for a slot, in milliseconds.
 *
 * A call that has run longer than average, or whose average is unknown, is expected to run as long again as it has.
 */
export function estimateWaitMs(
  { runningForMs, averageMs }: BlockingCalls,
  callsAhead: number,
): number {
  if (runningForMs.length === 0) return 0
  const remaining = runningForMs
    .map((age) => (averageMs === undefined || age >= averageMs ? age : averageMs - age))
    .toSorted((a, b) => a - b)
  const rounds = Math.floor(callsAhead / remaining.length)
  return (
    (remaining[callsAhead % remaining.length] ?? 0) + rounds * (averageMs ?? remaining.at(-1) ?? 0)
  )
}

/** Moving averages by key, for the 1,000 most recent keys. */
export class MovingAverages {
  readonly #values = new Map<string, number>()

  get(key: string): number | undefined {
    return this.#values.get(key)
  }

  record(key: string, ms: number): void {
    const previous = this.#values.get(key) ?? ms
    this.#values.delete(key)
    this.#values.set(key, previous + (ms - previous) * WEIGHT)
    const oldest = this.#values.size > 1_000 ? this.#values.keys().next().value : undefined
    if (oldest !== undefined) this.#values.delete(oldest)
  }
}

const WEIGHT = 0.3
