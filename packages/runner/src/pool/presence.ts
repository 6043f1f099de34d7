/** Remembers which tenants sent something lately, to give a tenant that is alone all that there is. */
export class Presence {
  /** Tenants and when they were last seen; the latest comes last. */
  readonly #seen = new Map<string, number>()

  /** A tenant sent something; `now` is a time in milliseconds that never goes back. @returns whether it is alone */
  note(tenant: string, now: number): boolean {
    this.#seen.delete(tenant)
    this.#seen.set(tenant, now)
    for (const [other, at] of this.#seen) {
      if (at > now - PRESENT_MS && this.#seen.size <= MAX_TENANTS) break
      this.#seen.delete(other)
    }
    return this.#seen.size === 1
  }

  /** Whether at most one tenant has been seen lately. */
  get isSingle(): boolean {
    return this.#seen.size <= 1
  }
}

/** A tenant is present for so long after it was last seen. */
const PRESENT_MS = 10_000
const MAX_TENANTS = 1_000
