import { totalmem } from 'node:os'
import type { Tenant } from '../tenant.ts'

/** What a call is counted by. */
export interface SlotHolder {
  readonly tenant: Tenant
  /** Its workspace is throttled, or its bundle computes for long. */
  readonly isIsolated: boolean
  /** How many slots it uses: more if it needs much memory. */
  slotCount: number
}

/**
 * Slots for calls inside the children. Most of these calls wait for a provider, and each uses memory, so slots are
 * limited: in total, and per workspace, definition and link.
 *
 * A workspace may hold as many slots as are free, and never more than half: one alone leaves half of them, two leave a
 * third, `n` leave one in `n + 1`, so a newcomer finds room however long the others wait.
 */
export class Slots<T extends SlotHolder> {
  readonly total: number
  readonly #holders = new Set<T>()
  readonly #usedByKey = new Map<string, number>()
  #used = 0

  constructor(total: number) {
    this.total = total
  }

  /** Number of calls that hold slots. */
  get size(): number {
    return this.#holders.size
  }

  canAcquire({ tenant, isIsolated, slotCount }: SlotHolder): boolean {
    const { workspaceId, definitionId, linkId } = tenant
    const freeSlots = this.total - this.#used
    const isWithinLimit = (key: string, limit: number) => {
      const used = this.#count(key)
      // The first one never waits for slots that it could not get.
      return used === 0 ? freeSlots > 0 : used + slotCount <= limit
    }
    const workspaceLimit = Math.min(
      freeSlots + this.#count(`w ${workspaceId}`),
      share(this.total, 2),
    )
    const isFair = this.#count(`w ${workspaceId}`) < freeSlots
    if (
      !isFair ||
      !isWithinLimit(`w ${workspaceId}`, isIsolated ? share(this.total, 8) : workspaceLimit)
    )
      return false
    if (linkId !== undefined && !isWithinLimit(`l ${linkId}`, share(this.total, 4))) return false
    if (definitionId === undefined) return true
    return isWithinLimit(`d ${workspaceId} ${definitionId}`, share(this.total, 3))
  }

  acquire(holder: T): void {
    this.#holders.add(holder)
    this.#add(holder, holder.slotCount)
  }

  /** Changes the number of slots of a call. They are counted even if none are free. */
  grow(holder: T, slotCount: number): void {
    if (this.#holders.has(holder)) this.#add(holder, slotCount - holder.slotCount)
    holder.slotCount = slotCount
  }

  release(holder: T): void {
    if (this.#holders.delete(holder)) this.#add(holder, -holder.slotCount)
  }

  /** The calls whose end lets this one start: those of its workspace, if there are any, otherwise all. */
  blockersOf({ tenant: { workspaceId } }: SlotHolder): T[] {
    const sameWorkspace = [...this.#holders].filter(
      (each) => each.tenant.workspaceId === workspaceId,
    )
    return sameWorkspace.length > 0 ? sameWorkspace : [...this.#holders]
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#holders.values()
  }

  #add({ tenant: { workspaceId, definitionId, linkId } }: SlotHolder, slotCount: number): void {
    this.#used += slotCount
    const keys = [`w ${workspaceId}`]
    if (definitionId !== undefined) keys.push(`d ${workspaceId} ${definitionId}`)
    if (linkId !== undefined) keys.push(`l ${linkId}`)
    for (const key of keys) {
      const total = this.#count(key) + slotCount
      if (total > 0) this.#usedByKey.set(key, total)
      else this.#usedByKey.delete(key)
    }
  }

  #count(key: string): number {
    return this.#usedByKey.get(key) ?? 0
  }
}

function share(total: number, parts: number): number {
  return Math.max(MIN_SHARE, Math.floor(total / parts))
}

const MIN_SHARE = 2

/** How many calls may be inside the children at a time. A waiting call uses 10 to 16 MB there. */
export function getSlotCount(waitingMemoryMb = getDefaultCallMemoryMb()): number {
  return Math.max(MIN_SLOTS, Math.floor(waitingMemoryMb / MB_PER_CALL))
}

function getDefaultCallMemoryMb(): number {
  const limit = process.constrainedMemory()
  const machine = totalmem()
  const bytes = limit > 0 && limit < machine ? limit : machine
  return Math.min(768, bytes / 8 / 1024 / 1024)
}

const MB_PER_CALL = 16
const MIN_SLOTS = 12
