interface Waiter {
  readonly resolve: (isGranted: boolean) => void
}

/**
 * The requests that one node may send at once, shared fairly: a tenant has a limit of its own, and freed slots go to the
 * tenants that wait in turn.
 */
export class RequestSlots {
  readonly #total: number
  readonly #perTenant: number
  readonly #held = new Map<string, number>()
  readonly #waiting = new Map<string, Waiter[]>()
  #used = 0

  constructor(total: number, perTenant: number) {
    this.#total = total
    this.#perTenant = perTenant
  }

  get used(): number {
    return this.#used
  }

  /** Takes up to `max` slots and returns how many. Waits at most `timeoutMs` for the first. */
  async acquire(tenant: string, max: number, timeoutMs: number): Promise<number> {
    if (max <= 0) return 0
    let taken = 0
    while (taken < max && this.#isFree(tenant)) {
      this.#take(tenant)
      taken += 1
    }
    if (taken > 0 || timeoutMs <= 0) return taken
    return (await this.#wait(tenant, timeoutMs)) ? 1 : 0
  }

  release(tenant: string, count = 1): void {
    if (count === 0) return
    const held = (this.#held.get(tenant) ?? 0) - count
    if (held > 0) this.#held.set(tenant, held)
    else this.#held.delete(tenant)
    this.#used -= count
    this.#serve()
  }

  #isFree(tenant: string): boolean {
    return this.#used < this.#total && (this.#held.get(tenant) ?? 0) < this.#perTenant
  }

  #take(tenant: string): void {
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
    this.#used += 1
  }

  async #wait(tenant: string, timeoutMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter: Waiter = { resolve }
    this.#waiting.set(tenant, [...(this.#waiting.get(tenant) ?? []), waiter])
    const timer = setTimeout(() => {
      this.#remove(tenant, waiter)
      resolve(false)
    }, timeoutMs)
    const isGranted = await promise
    clearTimeout(timer)
    return isGranted
  }

  #remove(tenant: string, waiter: Waiter): void {
    const others = (this.#waiting.get(tenant) ?? []).filter((other) => other !== waiter)
    if (others.length > 0) this.#waiting.set(tenant, others)
    else this.#waiting.delete(tenant)
  }

  /** A tenant that was served goes to the end of the line. */
  #serve(): void {
    while (true) {
      const next = [...this.#waiting].find(([tenant]) => this.#isFree(tenant))
      const [tenant, [waiter] = []] = next ?? []
      if (tenant === undefined || waiter === undefined) return
      this.#take(tenant)
      const others = (this.#waiting.get(tenant) ?? []).slice(1)
      this.#waiting.delete(tenant)
      if (others.length > 0) this.#waiting.set(tenant, others)
      waiter.resolve(true)
    }
  }
}
