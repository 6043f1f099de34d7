/** Limits of a circuit breaker. Times in milliseconds. */
export interface CircuitLimits {
  /** Consecutive timeouts that open a circuit. */
  readonly timeouts: number
  /** The time within which these timeouts must occur. */
  readonly windowMs: number
  /** How long a circuit stays open at first; the time doubles with each probe that times out. */
  readonly openMs: number
  readonly maxOpenMs: number
}

/**
 * The circuit of one host for one workspace: closed until several consecutive requests time out, then open, then
 * half-open: one request, the probe, is let through and decides. Pure: the caller passes the time.
 */
export class Circuit {
  readonly #limits: CircuitLimits
  /** When the latest consecutive timeouts occurred. */
  #timeouts: number[] = []
  /** Undefined while the circuit is closed. */
  #open: { readonly until: number; readonly ms: number } | undefined
  /** The latest time at which the probe in flight times out. */
  #probeUntil: number | undefined

  constructor(limits: CircuitLimits) {
    this.#limits = limits
  }

  /** True if the circuit is neither closed nor half-open. */
  isOpenAt(now: number): boolean {
    return this.#open !== undefined && now < this.#open.until
  }

  get isClosed(): boolean {
    return this.#open === undefined
  }

  /** Since when the circuit has been unused; Infinity while a probe is in flight. */
  get idleSince(): number {
    if (this.#probeUntil !== undefined) return Number.POSITIVE_INFINITY
    return this.#open?.until ?? this.#timeouts.at(-1) ?? 0
  }

  /** Milliseconds until a request may be retried; 0 when one may be sent now. */
  retryDelayAt(now: number): number {
    if (this.#open === undefined) return 0
    if (now < this.#open.until) return this.#open.until - now
    return this.#probeUntil === undefined ? 0 : Math.max(1, this.#probeUntil - now)
  }

  /** Lets a request through. Returns true if it is the probe. */
  admit(now: number, timeoutMs: number): boolean {
    if (this.#open === undefined) return false
    this.#probeUntil = now + timeoutMs
    return true
  }

  /** Records a timeout. Returns true if it opens the circuit, for the first time or again. */
  timedOut(now: number, isProbe: boolean): boolean {
    const { timeouts, windowMs } = this.#limits
    if (isProbe) this.#probeUntil = undefined
    // Requests that were in flight when the circuit opened provide no new information.
    else if (this.#open !== undefined) return false
    else if (!this.#hasReachedThreshold(now, timeouts, windowMs)) return false
    this.open(now)
    return true
  }

  /** Opens the circuit, for longer than the last time. */
  open(now: number): void {
    const { openMs, maxOpenMs } = this.#limits
    const ms = this.#open === undefined ? openMs : Math.min(maxOpenMs, this.#open.ms * 2)
    this.#open = { until: now + ms, ms }
  }

  /** The probe was inconclusive: the next request becomes the probe. */
  releaseProbe(): void {
    this.#probeUntil = undefined
  }

  #hasReachedThreshold(now: number, timeouts: number, windowMs: number): boolean {
    this.#timeouts = [...this.#timeouts, now].slice(-timeouts)
    return this.#timeouts.length === timeouts && (this.#timeouts[0] ?? 0) > now - windowMs
  }
}
