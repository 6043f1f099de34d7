import type { Lane, LaneStats } from '../runner-types.ts'
import type { Call } from './call.ts'
import { Averages, expectedWait } from './expected-wait.ts'
import { FairQueue } from './fair-queue.ts'
import { Slots } from './slots.ts'

/** The queue and the places of one lane, and how long those who wait there will. */
export class Admission {
  readonly queue = new FairQueue<Call>()
  readonly slots: Slots<Call>
  readonly #durations = new Averages()
  readonly #cpuTimes = new Averages()
  readonly #slotCounts = new Averages()
  started = 0
  queuedMs = 0
  refused = 0

  constructor(total: number) {
    this.slots = new Slots(total)
  }

  /** Says whether the queue has room for one more call of this workspace. */
  hasCapacity({ tenant: { workspaceId } }: Call): boolean {
    // As with places: one workspace leaves half of it to others.
    return this.queue.lengthOf(workspaceId) < MAX_QUEUED - this.queue.length
  }

  enqueue(call: Call): void {
    call.slotCount = Math.round(this.#slotCounts.get(call.tenant.workspaceId) ?? 1)
    this.queue.enqueue(call.tenant.workspaceId, call)
  }

  remove(call: Call): boolean {
    return this.queue.remove(call.tenant.workspaceId, call)
  }

  /** Takes the call whose turn it is among those that may start, and gives it a place. */
  startNext(canStart: (call: Call) => boolean): Call | undefined {
    const call = this.queue.takeNext((each) => this.slots.canAcquire(each) && canStart(each))
    if (call === undefined) return undefined
    this.slots.acquire(call)
    this.started++
    this.queuedMs += performance.now() - call.queuedAt
    return call
  }

  /** A call of a workspace has computed for so long. */
  charge(call: Call, cpuMs: number): void {
    const { workspaceId } = call.tenant
    this.queue.charge(workspaceId, cpuMs / MS_PER_START)
    this.#cpuTimes.record(isolationKey(call.isIsolated), cpuMs)
    if (call.isIsolated) this.#cpuTimes.record(workspaceId, cpuMs)
  }

  /** The memory of a call is so large now. @returns whether it has outgrown one place */
  growSlots(call: Call, bytes: number): boolean {
    const slotCount = Math.ceil(bytes / BYTES_PER_SLOT)
    if (slotCount <= call.slotCount) return false
    this.slots.grow(call, slotCount)
    return true
  }

  /** A call has left its place. */
  release(call: Call): void {
    this.slots.release(call)
    const durationMs = performance.now() - call.startedAt
    this.#durations.record(call.tenant.workspaceId, durationMs)
    this.#slotCounts.record(call.tenant.workspaceId, call.slotCount)
  }

  stats(): LaneStats {
    const { queue, slots, started, queuedMs, refused } = this
    const computing = [...slots].filter(({ isComputing }) => isComputing).length
    const waiting = slots.size - computing
    return { queued: queue.length, computing, waiting, started, queuedMs, refused }
  }

  /** How long a queued call will wait from now on, in milliseconds. */
  expectedWaitMs(call: Call, children: number): number {
    const { workspaceId } = call.tenant
    const callsAhead = Math.max(0, this.queue.positionOf(workspaceId, call))
    const activeWorkspaces = Math.max(1, this.queue.activeFlows)
    const averageCpuMs = this.#cpuTimes.get(isolationKey(call.isIsolated)) ?? 0
    const turnMs =
      ((callsAhead + 1) * activeWorkspaces * averageCpuMs) /
      (call.isIsolated ? 1 : Math.max(1, children))
    if (this.slots.canAcquire(call)) return turnMs
    const now = performance.now()
    const blockers = this.slots.blockersOf(call)
    const ages = blockers.map(({ startedAt }) => now - startedAt)
    const averageMs = this.#durations.get(workspaceId)
    return Math.max(turnMs, expectedWait({ ages, averageMs }, callsAhead))
  }
}

/** The lanes by name. */
export type Lanes = Readonly<Record<Lane, Admission>>

/** Most calls stay below it: a VM starts with 16 MiB of linear memory. */
export const BYTES_PER_SLOT = 17 * 1024 * 1024
const MAX_QUEUED = 400
/** A start costs a workspace as much of its share as so much computing. */
const MS_PER_START = 5

function isolationKey(isIsolated: boolean): string {
  return isIsolated ? ' isolated' : ' shared'
}
