import type { Tenant } from '../tenant.ts'

/** What a call counts against. */
export interface SlotUser {
  readonly tenant: Tenant
  /** Its workspace is throttled, or it computes for long. */
  readonly isIsolated: boolean
  /** How many places it takes: more when it needs much memory. */
  places: number
}

/**
 * Places for calls inside the children. Most of them wait for a provider there, and each holds memory, so places are
 * bounded: in total, and per workspace, definition and link.
 *
 * A workspace may hold as many places as are left free, and never more than half: one alone leaves half of them, two
 * leave a third, `n` leave one in `n + 1`, so a newcomer finds room however long the others wait.
 */
export class Slots<T extends SlotUser> {
  readonly total: number
  readonly #held = new Set<T>()
  readonly #places = new Map<string, number>()
  #used = 0

  constructor(total: number) {
    this.total = total
  }

  /** Calls that hold places. */
  get size(): number {
    return this.#held.size
  }

  mayTake({ tenant, isIsolated, places }: SlotUser): boolean {
    const { workspaceId, definitionId, linkId } = tenant
    const free = this.total - this.#used
    const isWithin = (key: string, most: number) => {
      const held = this.#count(key)
      // The first one never waits for a place that it could not get.
      return held === 0 ? free > 0 : held + places <= most
    }
    const most = Math.min(free + this.#count(`w ${workspaceId}`), share(this.total, 2))
    const isFair = this.#count(`w ${workspaceId}`) < free
    if (!isFair || !isWithin(`w ${workspaceId}`, isIsolated ? share(this.total, 8) : most))
      return false
    if (linkId !== undefined && !isWithin(`l ${linkId}`, share(this.total, 4))) return false
    if (definitionId === undefined) return true
    return isWithin(`d ${workspaceId} ${definitionId}`, share(this.total, 3))
  }

  take(user: T): void {
    this.#held.add(user)
    this.#add(user, user.places)
  }

  /** It needs more places than it took. They are counted, also where there are none left. */
  grow(user: T, places: number): void {
    if (this.#held.has(user)) this.#add(user, places - user.places)
    user.places = places
  }

  free(user: T): void {
    if (this.#held.delete(user)) this.#add(user, -user.places)
  }

  /** Those whose end lets this one in: of its workspace where it holds any, else all. */
  inTheWayOf({ tenant: { workspaceId } }: SlotUser): T[] {
    const own = [...this.#held].filter((each) => each.tenant.workspaceId === workspaceId)
    return own.length > 0 ? own : [...this.#held]
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#held.values()
  }

  #add({ tenant: { workspaceId, definitionId, linkId } }: SlotUser, places: number): void {
    this.#used += places
    const keys = [`w ${workspaceId}`]
    if (definitionId !== undefined) keys.push(`d ${workspaceId} ${definitionId}`)
    if (linkId !== undefined) keys.push(`l ${linkId}`)
    for (const key of keys) {
      const left = this.#count(key) + places
      if (left > 0) this.#places.set(key, left)
      else this.#places.delete(key)
    }
  }

  #count(key: string): number {
    return this.#places.get(key) ?? 0
  }
}

function share(total: number, parts: number): number {
  return Math.max(LEAST, Math.floor(total / parts))
}

const LEAST = 2
