/** Delays the replacement of lost children, so that a crash loop does not overload the machine. */
export class BackOff {
  readonly #now: () => number
  #losses: number[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Records that a child was lost. @returns milliseconds to wait: 0 for the first few within half a minute, then
   * increasing
   */
  recordLoss(): number {
    const now = this.#now()
    this.#losses = this.#losses.filter((at) => at > now - WINDOW_MS)
    this.#losses.push(now)
    const excess = this.#losses.length - FREE_RESTARTS
    return excess <= 0 ? 0 : Math.min(MAX_DELAY_MS, 100 * 2 ** excess)
  }
}

/** Waits for some milliseconds, or until `isCancelled` returns true. It is called 20 times a second. */
export async function sleepUnless(isCancelled: () => boolean, ms: number): Promise<void> {
  const end = Date.now() + ms
  while (!isCancelled() && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(50, end - Date.now())))
  }
}

const WINDOW_MS = 30_000
const FREE_RESTARTS = 4
const MAX_DELAY_MS = 5_000
