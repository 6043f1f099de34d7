/** Tracks which tenants were recently active, so that a tenant that is alone can use all resources. */
export class ActivityTracker {
  /** Tenants and when they were last active; the latest is last. */
  readonly #seen = new Map<string, number>()

  /** Records activity of a tenant; `now` is a monotonic time in milliseconds. @returns true if the tenant is alone */
  recordActivity(tenant: string, now: number): boolean {
    this.#seen.delete(tenant)
    this.#seen.set(tenant, now)
    return this.isSingle(now)
  }

  /** Whether at most one tenant was recently active. */
  isSingle(now: number): boolean {
    for (const [other, at] of this.#seen) {
      if (at > now - PRESENT_MS && this.#seen.size <= MAX_TENANTS) break
      this.#seen.delete(other)
    }
    return this.#seen.size <= 1
  }
}

/** How long a tenant counts as active after its last request. */
const PRESENT_MS = 10_000
const MAX_TENANTS = 1_000
