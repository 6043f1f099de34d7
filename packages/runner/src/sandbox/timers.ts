/** The timers of one call. The callbacks are in the guest; the host has only their ids. */
export class Timers {
  readonly #timers = new Map<number, NodeJS.Timeout>()
  readonly #max: number
  readonly #fire: (id: number) => void

  constructor(max: number, fire: (id: number) => void) {
    this.#max = max
    this.#fire = fire
  }

  get size(): number {
    return this.#timers.size
  }

  /** Sets or resets a timer. @throws Error when too many are set */
  set(id: number, ms: number): void {
    this.clear(id)
    if (this.#timers.size >= this.#max) throw new Error('Too many timers are set.')
    const delay = ms > 0 ? Math.min(ms, 2 ** 31 - 1) : 0
    const fire = () => {
      this.#timers.delete(id)
      this.#fire(id)
    }
    this.#timers.set(id, setTimeout(fire, delay))
  }

  clear(id: number): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  clearAll(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}
