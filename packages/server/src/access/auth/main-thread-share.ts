/** The clocks of the measurement, in milliseconds. */
export interface MainThreadClock {
  /** A monotonic clock. */
  readonly now: () => number
  /** How long the event loop has been busy since the start of the process. */
  readonly busyMs: () => number
}

/**
 * Measures how much of the main thread each tenant uses: while requests are active, the time in which the event loop is
 * busy is divided equally among them. Each tenant has a budget that grows with time by its share of the thread.
 */
export class MainThreadShare {
  readonly #clock: MainThreadClock
  readonly #budgets = new Map<string, Budget>()
  /** Number of active requests by tenant. */
  readonly #active = new Map<string, number>()
  #activeCount = 0
  #measuredMs = 0

  constructor(clock: MainThreadClock) {
    this.#clock = clock
  }

  /** A request of the tenant becomes active. */
  begin(tenant: string): void {
    this.#measure()
    this.#count(tenant, 1)
  }

  /** A request of the tenant is no longer active. */
  end(tenant: string): void {
    this.#measure()
    this.#count(tenant, -1)
  }

  /** Active requests of the tenant. */
  activeCountOf(tenant: string): number {
    return this.#active.get(tenant) ?? 0
  }

  /** Charges a tenant for work that no active request does. */
  charge(tenant: string, ms: number): void {
    const budget = this.#refill(tenant)
    budget.ms = Math.max(MAX_DEBT_MS, budget.ms - ms)
  }

  /** Milliseconds until the tenant may use the thread again; 0 if it may now. */
  waitMs(tenant: string): number {
    this.#measure()
    const { ms } = this.#refill(tenant)
    return ms > 0 ? 0 : Math.ceil((1 - ms) / SHARE)
  }

  #measure(): void {
    const busyMs = this.#clock.busyMs()
    const usedMs = busyMs - this.#measuredMs
    this.#measuredMs = busyMs
    for (const [tenant, count] of this.#active)
      this.charge(tenant, (usedMs * count) / this.#activeCount)
  }

  #count(tenant: string, change: 1 | -1): void {
    this.#activeCount += change
    const count = (this.#active.get(tenant) ?? 0) + change
    if (count > 0) this.#active.set(tenant, count)
    else this.#active.delete(tenant)
  }

  #refill(tenant: string): Budget {
    const now = this.#clock.now()
    const budget = this.#budgets.get(tenant)
    if (budget !== undefined) {
      budget.ms = Math.min(BURST_MS, budget.ms + (now - budget.refilledAt) * SHARE)
      budget.refilledAt = now
      return budget
    }
    // A full budget is the same as a new one, and every budget is full after half a second.
    if (this.#budgets.size >= MAX_TENANTS) this.#budgets.clear()
    const created = { ms: BURST_MS, refilledAt: now }
    this.#budgets.set(tenant, created)
    return created
  }
}

interface Budget {
  /** Negative after work that took longer than the remaining time. */
  ms: number
  refilledAt: number
}

/** The part of the main thread that one tenant may use while others are present. */
const SHARE = 0.5
const BURST_MS = 50
const MAX_DEBT_MS = -100
const MAX_TENANTS = 1_000
