/** Bounds of a circuit breaker. Times in milliseconds. */
export interface CircuitLimits {
  /** Timeouts in a row that open a circuit. */
  readonly timeouts: number
  /** They lie within so much time. */
  readonly windowMs: number
  /** How long a circuit stays open at first; it doubles with each probe that times out. */
  readonly openMs: number
  readonly maxOpenMs: number
}

/**
 * The circuit of one host for one workspace: closed until several requests in a row timed out, then open, then half-open:
 * one request, the probe, may pass and decides. Pure: the caller brings the time.
 */
export class Circuit {
  readonly #limits: CircuitLimits
  /** When the latest timeouts in a row happened. */
  #timeouts: number[] = []
  /** Undefined while the circuit is closed. */
  #open: { readonly until: number; readonly ms: number } | undefined
  /** When the probe that is under way times out at the latest. */
  #probeUntil: number | undefined

  constructor(limits: CircuitLimits) {
    this.#limits = limits
  }

  /** Neither closed nor half-open. */
  isOpenAt(now: number): boolean {
    return this.#open !== undefined && now < this.#open.until
  }

  get isClosed(): boolean {
    return this.#open === undefined
  }

  /** Since when it has been of no use; Infinity while a probe is under way. */
  get idleSince(): number {
    if (this.#probeUntil !== undefined) return Number.POSITIVE_INFINITY
    return this.#open?.until ?? this.#timeouts.at(-1) ?? 0
  }

  /** Milliseconds until a request may be tried again; 0 when one may pass now. */
  retryDelayAt(now: number): number {
    if (this.#open === undefined) return 0
    if (now < this.#open.until) return this.#open.until - now
    return this.#probeUntil === undefined ? 0 : Math.max(1, this.#probeUntil - now)
  }

  /** A request passes. True: it is the probe. */
  admit(now: number, timeoutMs: number): boolean {
    if (this.#open === undefined) return false
    this.#probeUntil = now + timeoutMs
    return true
  }

  /** A request timed out. True: that opens the circuit, for the first time or again. */
  timedOut(now: number, isProbe: boolean): boolean {
    const { timeouts, windowMs } = this.#limits
    if (isProbe) this.#probeUntil = undefined
    // Requests that were under way when the circuit opened tell nothing new.
    else if (this.#open !== undefined) return false
    else if (!this.#hasReachedThreshold(now, timeouts, windowMs)) return false
    this.open(now)
    return true
  }

  /** Opens it, longer than the last time. */
  open(now: number): void {
    const { openMs, maxOpenMs } = this.#limits
    const ms = this.#open === undefined ? openMs : Math.min(maxOpenMs, this.#open.ms * 2)
    this.#open = { until: now + ms, ms }
  }

  /** The probe ended in a way that says nothing of the host: the next request is the probe. */
  releaseProbe(): void {
    this.#probeUntil = undefined
  }

  #hasReachedThreshold(now: number, timeouts: number, windowMs: number): boolean {
    this.#timeouts = [...this.#timeouts, now].slice(-timeouts)
    return this.#timeouts.length === timeouts && (this.#timeouts[0] ?? 0) > now - windowMs
  }
}
