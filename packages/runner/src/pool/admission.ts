import type { Lane, LaneStats } from '../runner-types.ts'
import type { Call } from './call.ts'
import { Averages, expectedWait } from './expected-wait.ts'
import { FairQueue } from './fair-queue.ts'
import { Slots } from './slots.ts'

/** The queue and the places of one lane, and how long those who wait there will. */
export class Admission {
  readonly queue = new FairQueue<Call>()
  readonly slots: Slots<Call>
  readonly #stays = new Averages()
  readonly #computing = new Averages()
  readonly #places = new Averages()
  started = 0
  queuedMs = 0
  refused = 0

  constructor(total: number) {
    this.slots = new Slots(total)
  }

  /** Says whether the queue has room for one more call of this workspace. */
  hasRoom({ tenant: { workspaceId } }: Call): boolean {
    // As with places: one workspace leaves half of it to others.
    return this.queue.lengthOf(workspaceId) < MAX_QUEUED - this.queue.length
  }

  join(call: Call): void {
    call.places = Math.round(this.#places.get(call.tenant.workspaceId) ?? 1)
    this.queue.join(call.tenant.workspaceId, call)
  }

  leave(call: Call): boolean {
    return this.queue.remove(call.tenant.workspaceId, call)
  }

  /** Takes the call whose turn it is among those that may start, and gives it a place. */
  next(mayStart: (call: Call) => boolean): Call | undefined {
    const call = this.queue.next((each) => this.slots.mayTake(each) && mayStart(each))
    if (call === undefined) return undefined
    this.slots.take(call)
    this.started++
    this.queuedMs += performance.now() - call.queuedAt
    return call
  }

  /** A call of a workspace has computed for so long. */
  charge(call: Call, cpuMs: number): void {
    const { workspaceId } = call.tenant
    this.queue.charge(workspaceId, cpuMs / MS_PER_START)
    this.#computing.note(kindOf(call.isIsolated), cpuMs)
    if (call.isIsolated) this.#computing.note(workspaceId, cpuMs)
  }

  /** The memory of a call is so large now. @returns whether it has outgrown one place */
  grow(call: Call, bytes: number): boolean {
    const places = Math.ceil(bytes / BYTES_PER_PLACE)
    if (places <= call.places) return false
    this.slots.grow(call, places)
    return true
  }

  /** A call has left its place. */
  free(call: Call): void {
    this.slots.free(call)
    const stayedMs = performance.now() - call.startedAt
    this.#stays.note(call.tenant.workspaceId, stayedMs)
    this.#places.note(call.tenant.workspaceId, call.places)
  }

  stats(): LaneStats {
    const { queue, slots, started, queuedMs, refused } = this
    const computing = [...slots].filter(({ isComputing }) => isComputing).length
    const waiting = slots.size - computing
    return { queued: queue.length, computing, waiting, started, queuedMs, refused }
  }

  /** How long a queued call will wait from now on, in milliseconds. */
  expectedMs(call: Call, children: number): number {
    const { workspaceId } = call.tenant
    const before = Math.max(0, this.queue.position(workspaceId, call))
    const others = Math.max(1, this.queue.active)
    const stepMs = this.#computing.get(kindOf(call.isIsolated)) ?? 0
    const turnMs = ((before + 1) * others * stepMs) / (call.isIsolated ? 1 : Math.max(1, children))
    if (this.slots.mayTake(call)) return turnMs
    const now = performance.now()
    const ahead = this.slots.inTheWayOf(call)
    const ages = ahead.map(({ startedAt }) => now - startedAt)
    const usualMs = this.#stays.get(workspaceId)
    return Math.max(turnMs, expectedWait({ ages, usualMs }, before))
  }
}

/** The lanes by name. */
export type Lanes = Readonly<Record<Lane, Admission>>

/** Most calls stay below it: a VM starts with 16 MiB of linear memory. */
export const BYTES_PER_PLACE = 17 * 1024 * 1024
const MAX_QUEUED = 400
/** A start costs a workspace as much of its share as so much computing. */
const MS_PER_START = 5

function kindOf(isIsolated: boolean): string {
  return isIsolated ? ' isolated' : ' shared'
}
