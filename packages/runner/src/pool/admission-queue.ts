import { totalmem } from 'node:os'
import type { Tenant } from '../egress/egress.ts'
import { putLast } from '../lru.ts'
import type { Lane, LaneStats } from '../runner.ts'
import type { Call } from './call.ts'
import { FairQueue } from './fair-queue.ts'

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
    const call = this.queue.takeNext({
      canStart: (each) => this.slots.canAcquire(each) && canStart(each),
    })
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
    this.#cpuTimes.record(getPlace(call), cpuMs)
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
    const place = getPlace(call)
    const averageCpuMs = this.#cpuTimes.get(place) ?? 0
    const turnMs =
      ((callsAhead + 1) * activeWorkspaces * averageCpuMs) /
      (place === ' shared' ? Math.max(1, children) : 1)
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

/** Where a call computes. No workspace has such an ID. */
function getPlace({ declared, isIsolated }: Call): string {
  if (declared !== undefined) return ' host'
  return isIsolated ? ' isolated' : ' shared'
}

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

/** The running calls that block a queued call. */
export interface BlockingCalls {
  /** How long each of them has been running, in milliseconds. */
  readonly runningForMs: readonly number[]
  /** Recent average duration of such calls; undefined if none has ended yet. */
  readonly averageMs: number | undefined
}

/**
 * How long the queued call with `callsAhead` others ahead of it will wait for a slot, in milliseconds.
 *
 * A call that has run longer than average, or whose average is unknown, is expected to run as long again as it has.
 */
export function estimateWaitMs(
  { runningForMs, averageMs }: BlockingCalls,
  callsAhead: number,
): number {
  if (runningForMs.length === 0) return 0
  const remaining = runningForMs
    .map((age) => (averageMs === undefined || age >= averageMs ? age : averageMs - age))
    .toSorted((a, b) => a - b)
  const rounds = Math.floor(callsAhead / remaining.length)
  return (
    (remaining[callsAhead % remaining.length] ?? 0) + rounds * (averageMs ?? remaining.at(-1) ?? 0)
  )
}

/** Moving averages by key, for the 1,000 most recent keys. */
export class MovingAverages {
  readonly #values = new Map<string, number>()

  get(key: string): number | undefined {
    return this.#values.get(key)
  }

  record(key: string, ms: number): void {
    const previous = this.#values.get(key) ?? ms
    putLast(this.#values, key, previous + (ms - previous) * WEIGHT, 1_000)
  }
}

const WEIGHT = 0.3

export interface LoadShedderDeps {
  readonly lanes: Lanes
  /** Number of children that all workspaces share. */
  readonly size: number
  /** How long a call may be queued, in milliseconds. Default: 15,000. */
  readonly maxQueuedMs?: number | undefined
  /** Whether the place where this call runs is ready: this process always is, children have to start. */
  readonly isReadyFor: (call: Call) => boolean
  /** Called when calls have been queued for a while. */
  readonly onStillQueued: () => void
  /** Called after each review. */
  readonly onReviewed: () => void
}

/** Rejects calls that would wait too long: when they arrive, and, as estimates change, while they are queued. */
export class LoadShedder {
  readonly #deps: LoadShedderDeps
  readonly #maxQueuedMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(deps: LoadShedderDeps) {
    this.#deps = deps
    this.#maxQueuedMs = deps.maxQueuedMs ?? MAX_QUEUED_MS
  }

  /** Schedules a review of all queued calls. */
  schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      for (const { queue } of Object.values(this.#deps.lanes))
        for (const call of [...queue]) this.review(call)
      if (Object.values(this.#deps.lanes).some(({ queue }) => queue.length > 0))
        this.#deps.onStillQueued()
      this.#deps.onReviewed()
    }, REVIEW_INTERVAL_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** Rejects a queued call that would wait too long. */
  review(call: Call): void {
    const lane = this.#deps.lanes[call.lane]
    if (lane.queue.positionOf(call.tenant.workspaceId, call) < 0) return
    const waitedMs = performance.now() - call.queuedAt
    // The estimate does not cover a child that is about to start.
    const isReady = this.#deps.isReadyFor(call)
    const expectedMs = isReady ? lane.expectedWaitMs(call, this.#deps.size) : 0
    if (expectedMs <= MAX_WAIT_MS && waitedMs <= this.#maxQueuedMs) return
    lane.remove(call)
    this.reject(call, Math.max(expectedMs, MIN_RETRY_AFTER_MS))
  }

  /** Rejects a call that is not queued. */
  reject(call: Call, expectedMs = MAX_WAIT_MS): void {
    this.#deps.lanes[call.lane].refused++
    call.rejectOverloaded(OVERLOADED, Math.min(expectedMs, MAX_QUEUED_MS))
  }
}

const MAX_WAIT_MS = 2_000
const MAX_QUEUED_MS = 15_000
const REVIEW_INTERVAL_MS = 200
const MIN_RETRY_AFTER_MS = 1_000
const OVERLOADED = 'Too many integrations are running. Try again later.'
