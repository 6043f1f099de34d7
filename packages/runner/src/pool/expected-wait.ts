/** What is known of the calls whose end lets a queued call start. */
export interface Ahead {
  /** How long each of them has run, in milliseconds. */
  readonly ages: readonly number[]
  /** How long such calls took lately; undefined when none has ended yet. */
  readonly usualMs: number | undefined
}

/**
 * How long the queued call with `before` others in front of it will wait for a place, in milliseconds.
 *
 * A call that has run longer than usual, or of whose kind none has ended, is expected to run as long again as it has.
 */
export function expectedWait({ ages, usualMs }: Ahead, before: number): number {
  if (ages.length === 0) return 0
  const left = ages
    .map((age) => (usualMs === undefined || age >= usualMs ? age : usualMs - age))
    .toSorted((a, b) => a - b)
  const rounds = Math.floor(before / left.length)
  return (left[before % left.length] ?? 0) + rounds * (usualMs ?? left.at(-1) ?? 0)
}

/** A moving average of durations by key, in milliseconds; the last 1,000 keys. */
export class Averages {
  readonly #values = new Map<string, number>()

  get(key: string): number | undefined {
    return this.#values.get(key)
  }

  note(key: string, ms: number): void {
    const before = this.#values.get(key) ?? ms
    this.#values.delete(key)
    this.#values.set(key, before + (ms - before) * WEIGHT)
    const oldest = this.#values.size > 1_000 ? this.#values.keys().next().value : undefined
    if (oldest !== undefined) this.#values.delete(oldest)
  }
}

const WEIGHT = 0.3
