import type { Lane, LaneStats } from '../runner-types.ts'
import type { Call } from './call.ts'
import { estimateWaitMs, MovingAverages } from './estimate-wait-ms.ts'
import { FairQueue } from './fair-queue.ts'
import { Slots } from './slots.ts'

/** The queue and the slots of one lane, with an estimate of the wait. */
export class AdmissionQueue {
  readonly queue = new FairQueue<Call>()
  readonly slots: Slots<Call>
  readonly #durations = new MovingAverages()
  readonly #cpuTimes = new MovingAverages()
  readonly #slotCounts = new MovingAverages()
  started = 0
  queuedMs = 0
  refused = 0

  constructor(total: number) {
    this.slots = new Slots(total)
  }

  /** Returns true if the queue has room for another call of this workspace. */
  hasCapacity({ tenant: { workspaceId } }: Call): boolean {
    // As with slots: one workspace leaves half of the queue to others.
    return this.queue.countItems(workspaceId) < MAX_QUEUED - this.queue.length
  }

  enqueue(call: Call): void {
    call.slotCount = Math.round(this.#slotCounts.get(call.tenant.workspaceId) ?? 1)
    this.queue.enqueue(call.tenant.workspaceId, call)
  }

  remove(call: Call): boolean {
    return this.queue.remove(call.tenant.workspaceId, call)
  }

  /** Dequeues the next call that may start, and acquires its slots. */
  startNext(canStart: (call: Call) => boolean): Call | undefined {
    const call = this.queue.takeNext((each) => this.slots.canAcquire(each) && canStart(each))
    if (call === undefined) return undefined
    this.slots.acquire(call)
    this.started++
    this.queuedMs += performance.now() - call.queuedAt
    return call
  }

  /** Charges the workspace of a call for computing. */
  charge(call: Call, cpuMs: number): void {
    const { workspaceId } = call.tenant
    this.queue.charge(workspaceId, cpuMs / MS_PER_START)
    this.#cpuTimes.record(getIsolationKey(call.isIsolated), cpuMs)
    if (call.isIsolated) this.#cpuTimes.record(workspaceId, cpuMs)
  }

  /** Updates the memory of a call, which its child reports. @returns true if it has outgrown its slots */
  growSlots(call: Call, reportedBytes: number): boolean {
    const bytes = Math.min(reportedBytes, call.limits.memoryMb * 1024 * 1024)
    const slotCount = Math.ceil(bytes / BYTES_PER_SLOT)
    if (slotCount <= call.slotCount) return false
    this.slots.grow(call, slotCount)
    return true
  }

  /** Releases the slots of a call that has left its child. */
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

  /** How long a queued call will have to wait from now on, in milliseconds. */
  expectedWaitMs(call: Call, children: number): number {
    const { workspaceId } = call.tenant
    const callsAhead = Math.max(0, this.queue.positionOf(workspaceId, call))
    const activeWorkspaces = Math.max(1, this.queue.activeFlows)
    const averageCpuMs = this.#cpuTimes.get(getIsolationKey(call.isIsolated)) ?? 0
    const turnMs =
      ((callsAhead + 1) * activeWorkspaces * averageCpuMs) /
      (call.isIsolated ? 1 : Math.max(1, children))
    if (this.slots.canAcquire(call)) return turnMs
    const now = performance.now()
    const blockers = this.slots.blockersOf(call)
    const runningForMs = blockers.map(({ startedAt }) => now - startedAt)
    const averageMs = this.#durations.get(workspaceId)
    return Math.max(turnMs, estimateWaitMs({ runningForMs, averageMs }, callsAhead))
  }
}

/** The lanes by name. */
export type Lanes = Readonly<Record<Lane, AdmissionQueue>>

/** Lanes for so many calls in total; those for credentials have a quarter of the slots in addition. */
export function createLanes(totalSlots: number): Lanes {
  return {
    credentials: new AdmissionQueue(Math.ceil(totalSlots / 4)),
    checks: new AdmissionQueue(totalSlots),
  }
}

/** Most calls need less: a VM starts with 16 MiB of linear memory. */
export const BYTES_PER_SLOT = 17 * 1024 * 1024
const MAX_QUEUED = 400
/** Starting a call costs a workspace as much of its share as this much computing. */
const MS_PER_START = 5

function getIsolationKey(isIsolated: boolean): string {
  return isIsolated ? ' isolated' : ' shared'
}
