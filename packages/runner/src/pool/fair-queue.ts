/**
 * Weighted round robin over flows: `takeNext` serves the flow that has been charged least, so every start and every
 * millisecond of computing that a flow is charged for delays its next turn (start-time fair queuing). A flow that
 * returns after a pause gets no credit for it.
 */
export class FairQueue<T> {
  readonly #flows = new Map<string, Flow<T>>()
  /** Virtual time: the charge of the flow that was served last. */
  #clock = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Flows with items. */
  get activeFlows(): number {
    let count = 0
    for (const { items } of this.#flows.values()) if (items.size > 0) count++
    return count
  }

  countItems(key: string): number {
    return this.#flows.get(key)?.items.size ?? 0
  }

  /** Number of items ahead of this one in its own flow; -1 if it is not queued. */
  positionOf(key: string, item: T): number {
    return [...(this.#flows.get(key)?.items ?? [])].indexOf(item)
  }

  enqueue(key: string, item: T): void {
    const flow = this.#flow(key)
    if (flow.items.size === 0) flow.charged = Math.max(flow.charged, this.#clock)
    flow.items.add(item)
    this.#length++
  }

  /** Removes the first item that may start from the flow that was charged least, and charges the flow for one start. */
  takeNext(
    canStart: (item: T) => boolean,
    mayServe: (key: string) => boolean = () => true,
  ): T | undefined {
    const active = [...this.#flows].filter(([key, { items }]) => items.size > 0 && mayServe(key))
    for (const [key, flow] of active.toSorted(([, a], [, b]) => a.charged - b.charged)) {
      for (const item of flow.items) {
        if (!canStart(item)) continue
        this.#clock = Math.max(this.#clock, flow.charged)
        this.remove(key, item)
        this.charge(key, 1)
        return item
      }
    }
    return undefined
  }

  /** One start costs 1. */
  charge(key: string, cost: number): void {
    this.#flow(key).charged += cost
    if (this.#flows.size > MAX_FLOWS) this.#prune()
  }

  remove(key: string, item: T): boolean {
    const removed = this.#flows.get(key)?.items.delete(item) ?? false
    if (removed) this.#length--
    return removed
  }

  *[Symbol.iterator](): Generator<T> {
    for (const { items } of this.#flows.values()) yield* items
  }

  #flow(key: string): Flow<T> {
    const existing = this.#flows.get(key)
    if (existing !== undefined) return existing
    const flow = { items: new Set<T>(), charged: this.#clock }
    this.#flows.set(key, flow)
    return flow
  }

  // A flow that is not ahead of the clock is the same as a new one.
  #prune(): void {
    for (const [key, { items, charged }] of this.#flows) {
      if (items.size === 0 && charged <= this.#clock) this.#flows.delete(key)
    }
  }
}

interface Flow<T> {
  readonly items: Set<T>
  charged: number
}

const MAX_FLOWS = 1_000

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
