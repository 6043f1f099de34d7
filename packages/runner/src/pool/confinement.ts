/**
 * Bundles (and patterns) that ran out of CPU time, or took a child down, run one call at a time for a minute: a spinning call holds
 * up the calls beside it, and many of them at once would hold up everyone.
 */
export class Confinement {
  readonly #now: () => number
  readonly #until = new Map<string, number>()
  readonly #running = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  mayStart(culprit: string): boolean {
    return (this.#running.get(culprit) ?? 0) === 0 || !this.isConfined(culprit)
  }

  isConfined(culprit: string): boolean {
    return (this.#until.get(culprit) ?? 0) > this.#now()
  }

  started(culprit: string): void {
    this.#running.set(culprit, (this.#running.get(culprit) ?? 0) + 1)
  }

  /** `isHarmful`: the call held up its neighbours. */
  ended(culprit: string, isHarmful: boolean): void {
    const left = (this.#running.get(culprit) ?? 0) - 1
    if (left > 0) this.#running.set(culprit, left)
    else this.#running.delete(culprit)
    if (!isHarmful) return
    this.#until.delete(culprit)
    this.#until.set(culprit, this.#now() + MINUTE_MS)
    for (const oldest of this.#until.keys()) {
      if (this.isConfined(oldest) && this.#until.size <= MOST) break
      this.#until.delete(oldest)
    }
  }
}

const MINUTE_MS = 60_000
const MOST = 1_000
