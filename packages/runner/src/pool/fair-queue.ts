/** How a fair queue counts. */
export interface FairQueueOptions {
  /** What a flow is charged for each start. Default: 1 */
  readonly startCost?: number
  /** How far a flow may fall behind the clock, and then be served before others. Default: 0 */
  readonly credit?: number
}

/** Limits which items are taken. */
export interface TakeOptions<T> {
  readonly canStart?: (item: T) => boolean
  /** Whether items of this flow may start. */
  readonly mayServe?: (key: string) => boolean
  /** Leaves flows whose charge is further ahead of the clock. Default: no limit */
  readonly maxLead?: number
}

/**
 * Weighted round robin over flows: `takeNext` serves the flow that has been charged least, so every start and every
 * millisecond of computing that a flow is charged for delays its next turn (start-time fair queuing). A flow that
 * returns after a pause gets no credit for it beyond `credit`. Flows that were charged equally take turns.
 *
 * No operation but `positionOf` takes more than logarithmic time in the number of flows, amortized, and `takeNext` for each
 * flow that it passes over.
 */
export class FairQueue<T> {
  readonly #flows = new Map<string, Flow<T>>()
  readonly #order = new FlowHeap<T>()
  readonly #startCost: number
  readonly #credit: number
  /** Virtual time: at least the charge of each flow when it was served. */
  #clock = 0
  #length = 0
  #activeFlows = 0
  #pruneAt = MIN_PRUNED_FLOWS

  constructor({ startCost = 1, credit = 0 }: FairQueueOptions = {}) {
    this.#startCost = startCost
    this.#credit = credit
  }

  get length(): number {
    return this.#length
  }

  /** Flows with items. */
  get activeFlows(): number {
    return this.#activeFlows
  }

  countItems(key: string): number {
    return this.#flows.get(key)?.items.size ?? 0
  }

  /** Number of items ahead of this one in its own flow; -1 if it is not queued. */
  positionOf(key: string, item: T): number {
    return [...(this.#flows.get(key)?.items ?? [])].indexOf(item)
  }

  /** How far the charge of a flow is ahead of the clock. */
  leadOf(key: string): number {
    return (this.#flows.get(key)?.charged ?? this.#clock) - this.#clock
  }

  enqueue(key: string, item: T): void {
    const flow = this.#flow(key)
    if (flow.items.size === 0) {
      this.#activeFlows++
      this.#limitCredit(flow)
      this.#order.push(flow)
    }
    flow.items.add(item)
    this.#length++
  }

  /** Removes the first item that may start from the flow that was charged least, and charges the flow for one start. */
  takeNext(options: TakeOptions<T> = {}): T | undefined {
    const { canStart = always, mayServe = always, maxLead = Number.POSITIVE_INFINITY } = options
    const passed: Flow<T>[] = []
    let taken: T | undefined
    while (taken === undefined) {
      const flow = this.#order.pop()
      if (flow === undefined) break
      if (flow.items.size === 0) continue
      passed.push(flow)
      if (flow.charged - this.#clock > maxLead) break
      if (!mayServe(flow.key)) continue
      taken = flow.items.values().find(canStart)
      if (taken === undefined) continue
      this.remove(flow.key, taken)
      this.#serve(flow)
    }
    for (const flow of passed) if (flow.items.size > 0) this.#order.push(flow)
    return taken
  }

  /** Charges a flow for one start without an item, because nothing had to wait. */
  start(key: string): void {
    this.#serve(this.#flow(key))
  }

  charge(key: string, cost: number): void {
    this.#flow(key).charged += cost
  }

  /** Moves the clock on: every flow may use that much. */
  advance(by: number): void {
    this.#clock += by
  }

  remove(key: string, item: T): boolean {
    const flow = this.#flows.get(key)
    if (flow === undefined || !flow.items.delete(item)) return false
    this.#length--
    if (flow.items.size === 0) this.#activeFlows--
    return true
  }

  *[Symbol.iterator](): Generator<T> {
    for (const { items } of this.#flows.values()) yield* items
  }

  #serve(flow: Flow<T>): void {
    this.#limitCredit(flow)
    this.#clock = Math.max(this.#clock, flow.charged)
    flow.charged += this.#startCost
  }

  #limitCredit(flow: Flow<T>): void {
    flow.charged = Math.max(flow.charged, this.#clock - this.#credit)
  }

  #flow(key: string): Flow<T> {
    const existing = this.#flows.get(key)
    if (existing !== undefined) return existing
    if (this.#flows.size >= this.#pruneAt) this.#prune()
    const charged = this.#clock - this.#credit
    const flow = { key, items: new Set<T>(), charged, rank: 0, turn: 0, isOrdered: false }
    this.#flows.set(key, flow)
    return flow
  }

  // A flow that is as far behind the clock as it may be is the same as a new one.
  #prune(): void {
    for (const [key, { items, charged }] of this.#flows)
      if (items.size === 0 && charged <= this.#clock - this.#credit) this.#flows.delete(key)
    this.#pruneAt = Math.max(MIN_PRUNED_FLOWS, 2 * this.#flows.size)
  }
}

const MIN_PRUNED_FLOWS = 1_000

const always = () => true

interface Flow<T> {
  readonly key: string
  readonly items: Set<T>
  charged: number
  /** What it was charged when it was put in order. */
  rank: number
  /** Its place among flows of the same rank. */
  turn: number
  isOrdered: boolean
}

/** A binary heap of flows: the one that was charged least is at the top. Charges only rise, so they are compared when a flow gets there. */
class FlowHeap<T> {
  readonly #flows: Flow<T>[] = []
  #turn = 0

  /** Puts a flow behind those that were charged equally, unless it is in order already. */
  push(flow: Flow<T>): void {
    if (flow.isOrdered) return
    flow.isOrdered = true
    flow.rank = flow.charged
    flow.turn = ++this.#turn
    let at = this.#flows.length
    while (at > 0) {
      const parentAt = (at - 1) >> 1
      const parent = this.#flows[parentAt] as Flow<T>
      if (!isBefore(flow, parent)) break
      this.#flows[at] = parent
      at = parentAt
    }
    this.#flows[at] = flow
  }

  pop(): Flow<T> | undefined {
    for (;;) {
      const top = this.#flows[0]
      if (top === undefined) return undefined
      if (top.charged <= top.rank) return this.#removeTop(top)
      top.rank = top.charged
      this.#sink(top)
    }
  }

  #removeTop(top: Flow<T>): Flow<T> {
    const last = this.#flows.pop() as Flow<T>
    if (last !== top) this.#sink(last)
    top.isOrdered = false
    return top
  }

  /** Puts a flow in place of the top, and moves it down to where it belongs. */
  #sink(flow: Flow<T>): void {
    const flows = this.#flows
    let at = 0
    for (;;) {
      let childAt = 2 * at + 1
      const [left, right] = [flows[childAt], flows[childAt + 1]]
      if (left === undefined) break
      const child = right !== undefined && isBefore(right, left) ? right : left
      if (child === right) childAt += 1
      if (!isBefore(child, flow)) break
      flows[at] = child
      at = childAt
    }
    flows[at] = flow
  }
}

function isBefore(a: Flow<unknown>, b: Flow<unknown>): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.turn < b.turn)
}

/** Tracks whether several tenants were recently active: one that is alone can use all resources. */
export class ActivityTracker {
  #latest = ''
  #latestAt = Number.NEGATIVE_INFINITY
  /** When a tenant other than the latest was last active. */
  #otherAt = Number.NEGATIVE_INFINITY

  /** Records activity of a tenant. @returns true if the tenant is alone */
  recordActivity(tenant: string, now: number): boolean {
    if (tenant !== this.#latest) this.#otherAt = this.#latestAt
    this.#latest = tenant
    this.#latestAt = now
    return this.isSingle(now)
  }

  /** Whether at most one tenant was recently active. */
  isSingle(now: number): boolean {
    return this.#otherAt <= now - PRESENT_MS
  }
}

/** How long a tenant counts as active after its last request. */
const PRESENT_MS = 10_000
