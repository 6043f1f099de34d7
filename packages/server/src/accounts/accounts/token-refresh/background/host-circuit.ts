/** What a token request says about its host. */
export interface HostAnswer {
  /** Whether the host responded with a decision, be it new tokens or a refusal. */
  readonly hasAnswered: boolean
  /** The delay that the provider requested, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** When background refreshes that go to a host are paused. Times are monotonic milliseconds. */
export class HostCircuit {
  #failures = 0
  #pauses = 0
  #pausedUntil = 0

  /** Milliseconds until requests are sent again; 0 when none is to wait. */
  getPauseMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now)
  }

  /** Whether one request is to find out if the host responds again. */
  get isProbing(): boolean {
    return this.#pauses > 0
  }

  /** Whether nothing speaks against the host. */
  isClosed(now: number): boolean {
    return this.#failures === 0 && this.#pauses === 0 && this.getPauseMs(now) === 0
  }

  recordSuccess(): void {
    this.#failures = 0
    this.#pauses = 0
    this.#pausedUntil = 0
  }

  /** Returns whether the circuit is now open. */
  recordFailure(now: number, retryAfterMs = 0): boolean {
    // The host asks for it, but may mean this account only: a short time.
    if (retryAfterMs > 0) this.#pauseUntil(now + Math.min(retryAfterMs, MAX_REQUESTED_PAUSE_MS))
    this.#failures += 1
    // Requests that were sent before the pause say nothing new.
    const isOpen = this.#pauses > 0 && this.getPauseMs(now) > 0
    if (!isOpen && (this.isProbing || this.#failures >= MAX_FAILURES)) this.#open(now, retryAfterMs)
    return this.#pauses > 0
  }

  #open(now: number, retryAfterMs: number): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#pauses, MAX_PAUSE_MS)
    this.#pauses += 1
    this.#pauseUntil(now + Math.max(pauseMs, Math.min(retryAfterMs, MAX_PAUSE_MS)))
  }

  #pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time)
  }
}

/** Failures in a row that open a circuit. */
export const MAX_FAILURES = 3

const FIRST_PAUSE_MS = 30_000
const MAX_PAUSE_MS = 15 * 60_000
const MAX_REQUESTED_PAUSE_MS = 60_000
