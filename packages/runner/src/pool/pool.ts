import { putLast } from '../lru.ts'
import { type Lane, RunnerError, type RunnerOptions, type RunnerStats } from '../runner.ts'
import type { ComputeStep } from '../sandbox/messages.ts'
import { createLanes, getSlotCount, type Lanes, LoadShedder } from './admission-queue.ts'
import type { Call } from './call.ts'
import type { Child } from './child.ts'
import { CHECKS_PER_CHILD, ChildSupervisor } from './child-supervisor.ts'
import { ActivityTracker } from './fair-queue.ts'
import { HostCalls } from './host-calls.ts'
import { Relay } from './relay.ts'
import { BandwidthLimiter, HostSlots, MONOTONIC_CLOCK } from './request-limits.ts'
import type { SandboxFiles } from './sandbox-files.ts'

/** Distributes calls to this process and the children: fairly by workspace, and rejects those that would wait too long. */
export class Pool {
  readonly #supervisor: ChildSupervisor
  readonly #hostCalls: HostCalls
  readonly #lanes: Lanes
  readonly #throttle = new IsolationPolicy(Date.now)
  readonly #presence = new ActivityTracker()
  readonly #firstReady = Promise.withResolvers<void>()
  /** The lane that is served next is first. */
  readonly #laneOrder: Lane[] = ['credentials', 'checks']
  readonly #loadShedder: LoadShedder
  #preemptions = 0
  #retries = 0
  #isClosed = false

  constructor(size: number, options: RunnerOptions, files: SandboxFiles) {
    const totalSlots = Math.min(getSlotCount(options.waitingMemoryMb), size * CHECKS_PER_CHILD)
    this.#lanes = createLanes(totalSlots)
    this.#firstReady.promise.catch(() => {})
    this.#loadShedder = new LoadShedder({
      lanes: this.#lanes,
      size,
      maxQueuedMs: options.maxQueuedMs,
      isReadyFor: ({ declared, isIsolated }) =>
        declared !== undefined || this.#supervisor.hasReadyChild(isIsolated),
      onStillQueued: () => this.#growForQueued(),
      onReviewed: () => this.#dispatch(),
    })
    const hostSlots = new HostSlots(Math.max(2, Math.floor(totalSlots / 4)), (call) => {
      this.#lanes[call.lane].refused++
    })
    const relayDeps = {
      egressGateway: options.egressGateway,
      hostSlots,
      bandwidthLimiter: new BandwidthLimiter(MONOTONIC_CLOCK),
    }
    this.#hostCalls = new HostCalls(new Relay(relayDeps), {
      onCallEnded: (call) => this.#ended(call, false),
      onComputed: (call, cpuMs) => this.#computed(call, { cpuMs, bytes: 0 }),
      onSandboxNeeded: (call) => this.#moveToSandbox(call),
      onIdle: () => this.#dispatch(),
    })
    this.#supervisor = new ChildSupervisor(
      { size, options, files, relayDeps },
      {
        onReady: () => {
          this.#firstReady.resolve()
          this.#dispatch()
        },
        onCallEnded: (call, isHarmful) => this.#ended(call, isHarmful),
        onPreempted: (call) => this.#preempted(call),
        onComputed: (call, step) => this.#computed(call, step),
        onIdle: () => this.#dispatch(),
        onExit: (affectedCalls) => this.#handleExit(affectedCalls),
      },
    )
  }

  ready(): Promise<void> {
    this.#supervisor.startFirst()
    return this.#firstReady.promise
  }

  /** Starts a call, queues it, or rejects it if it would wait too long. */
  run(call: Call): void {
    if (this.#isClosed) return void call.fail(createShutdownError())
    const lane = this.#lanes[call.lane]
    const { workspaceId } = call.tenant
    this.#presence.recordActivity(workspaceId, performance.now())
    call.isIsolated = this.#throttle.isIsolated(workspaceId, call.bundle.sha256)
    if (!lane.hasCapacity(call)) return void this.#loadShedder.reject(call)
    lane.enqueue(call)
    this.#dispatch()
    this.#loadShedder.review(call)
  }

  stats(): RunnerStats {
    const { credentials, checks } = this.#lanes
    const { size: children, restarts, replacements, isConfined = false } = this.#supervisor
    return {
      children,
      restarts,
      replacements,
      isConfined,
      running: credentials.slots.size + checks.slots.size,
      queued: credentials.queue.length + checks.queue.length,
      lanes: { credentials: credentials.stats(), checks: checks.stats() },
      throttledWorkspaces: this.#throttle.throttledCount,
      preemptions: this.#preemptions,
      retries: this.#retries,
    }
  }

  /** Cancels all calls and stops all children. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#loadShedder.stop()
    this.#firstReady.reject(createShutdownError())
    for (const lane of Object.values(this.#lanes)) {
      for (const call of [...lane.queue]) {
        lane.remove(call)
        call.fail(createShutdownError())
      }
    }
    this.#hostCalls.close(createShutdownError)
    await this.#supervisor.close()
  }

  #dispatch(): void {
    if (this.#isClosed) return
    // The condition itself starts calls, until no more calls may start.
    while (this.#startInHost() || this.#startNext(false) || this.#startNext(true));
    if (Object.values(this.#lanes).some(({ queue }) => queue.length > 0))
      this.#loadShedder.schedule()
  }

  /** Starts one call in a child of that kind. The lanes take turns. */
  #startNext(isIsolated: boolean): boolean {
    const isCandidate = (call: Call) =>
      call.declared === undefined && call.isIsolated === isIsolated
    const queues = Object.values(this.#lanes).map(({ queue }) => queue)
    if (!queues.some((queue) => [...queue].some(isCandidate))) return false
    for (const child of this.#supervisor.candidates(isIsolated)) {
      for (const name of this.#laneOrder) {
        const call = this.#lanes[name].startNext(
          (each) => isCandidate(each) && child.accepts(each) && this.#leavesRoom(child, each),
        )
        if (call === undefined) continue
        this.#laneOrder.reverse()
        child.start(call)
        return true
      }
    }
    return false
  }

  /** Starts one call in this process. */
  #startInHost(): boolean {
    for (const name of this.#laneOrder) {
      const call = this.#lanes[name].startNext(({ declared }) => declared !== undefined)
      if (call?.declared === undefined) continue
      this.#laneOrder.reverse()
      this.#hostCalls.start(call, call.declared)
      return true
    }
    return false
  }

  #growForQueued(): void {
    const queues = Object.values(this.#lanes).map(({ queue }) => [...queue])
    if (queues.flat().some(({ declared }) => declared === undefined)) this.#supervisor.grow()
  }

  #leavesRoom(child: Child, { tenant: { workspaceId } }: Call): boolean {
    const isSingle = this.#presence.isSingle(performance.now())
    return isSingle || this.#supervisor.leavesOneFree(child, workspaceId)
  }

  #ended(call: Call, isHarmful: boolean): void {
    this.#lanes[call.lane].release(call)
    if (!isHarmful) return
    const { workspaceId } = call.tenant
    this.#updateThrottle(workspaceId, () => this.#throttle.recordOffense(workspaceId))
  }

  #computed(call: Call, { cpuMs, bytes }: Pick<ComputeStep, 'cpuMs' | 'bytes'>): void {
    const { workspaceId } = call.tenant
    const lane = this.#lanes[call.lane]
    lane.charge(call, cpuMs)
    const grewMemory = lane.growSlots(call, bytes)
    // Allocating, clearing and freeing memory costs the neighbours time as well.
    const costMs = cpuMs + (grewMemory ? MEMORY_GROWTH_COST_MS : 0)
    this.#updateThrottle(workspaceId, () => this.#throttle.recordStep(workspaceId, costMs))
  }

  // It computed too long while others wait, and it has no side effects, so it can be restarted elsewhere.
  #preempted(call: Call): void {
    this.#preemptions++
    this.#throttle.recordPreemption(call.tenant.workspaceId, call.bundle.sha256)
    call.isIsolated = true
    this.#requeue(call)
  }

  #moveToSandbox(call: Call): void {
    call.abortController.abort()
    call.declared = undefined
    this.#requeue(call)
  }

  #handleExit(affectedCalls: readonly Call[]): void {
    for (const call of affectedCalls) {
      if (this.#isClosed) call.fail(createShutdownError())
      else if (call.attempts > MAX_ATTEMPTS || call.hasSideEffects)
        call.rejectOverloaded(CHILD_LOST, RETRY_AFTER_MS)
      else {
        this.#retries++
        this.#requeue(call)
      }
    }
    this.#dispatch()
  }

  #requeue(call: Call): void {
    this.#lanes[call.lane].enqueue(call)
    this.#loadShedder.schedule()
  }

  /** Moves the calls of a workspace that has just been throttled, whatever child they are in. */
  #updateThrottle(workspaceId: string, record: () => void): void {
    const wasThrottled = this.#throttle.isThrottled(workspaceId)
    record()
    if (wasThrottled || !this.#throttle.isThrottled(workspaceId)) return
    this.#supervisor.evict(workspaceId)
    for (const { queue } of Object.values(this.#lanes)) {
      for (const call of queue) {
        const { tenant, bundle } = call
        call.isIsolated ||= this.#throttle.isIsolated(tenant.workspaceId, bundle.sha256)
      }
    }
  }
}

const RETRY_AFTER_MS = 1_000
const MEMORY_GROWTH_COST_MS = 80
const MAX_ATTEMPTS = 2
const CHILD_LOST = 'Another integration crashed the process that this one ran in. Try again.'

function createShutdownError(): RunnerError {
  return new RunnerError('overloaded', 'The service is shutting down.')
}

/**
 * Decides which calls must not share a child with those of other workspaces.
 *
 * A workspace is throttled when one of its calls exceeds its CPU time or memory or crashes a child, or when its calls
 * compute in long stretches: for a minute, and twice as long each time, up to a quarter of an hour. Digests are
 * ignored, because a comment changes them. A preempted bundle is isolated on its own; its workspace is not.
 */
export class IsolationPolicy {
  readonly #now: () => number
  readonly #records = new Map<string, OffenseRecord>()
  readonly #heavyBundles = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  isThrottled(workspaceId: string): boolean {
    return (this.#records.get(workspaceId)?.until ?? 0) > this.#now()
  }

  /** Whether this bundle has to run isolated from those of other workspaces. */
  isIsolated(workspaceId: string, sha256: string): boolean {
    return (
      this.isThrottled(workspaceId) ||
      (this.#heavyBundles.get(`${workspaceId} ${sha256}`) ?? 0) > this.#now()
    )
  }

  get throttledCount(): number {
    return [...this.#records.keys()].filter((each) => this.isThrottled(each)).length
  }

  /** Records how long a call computed without a pause. Only time above the allowance counts. */
  recordStep(workspaceId: string, ms: number): void {
    if (ms <= ALLOWED_STEP_MS) return
    const now = this.#now()
    const record = this.#getRecord(workspaceId)
    const decayedMs = ((now - record.excessAt) / 1_000) * DECAY_MS_PER_SECOND
    record.excessMs = Math.max(0, record.excessMs - decayedMs) + ms - ALLOWED_STEP_MS
    record.excessAt = now
    if (record.excessMs > MAX_EXCESS_MS) this.recordOffense(workspaceId)
  }

  /** Records a call that computed too long in a shared child. */
  recordPreemption(workspaceId: string, sha256: string): void {
    const key = `${workspaceId} ${sha256}`
    putLast(this.#heavyBundles, key, this.#now() + HEAVY_BUNDLE_MS, MAX_ENTRIES)
  }

  /** Records a call that harmed the calls beside it, or would have. */
  recordOffense(workspaceId: string): void {
    const now = this.#now()
    const record = this.#getRecord(workspaceId)
    record.excessMs = 0
    // Offences while it is already throttled count as one.
    if (record.until <= now) {
      if (now - record.until > OFFENSE_EXPIRY_MS) record.offenses = 0
      record.throttleMs = Math.min(MAX_THROTTLE_MS, MIN_THROTTLE_MS * 2 ** record.offenses++)
    }
    record.until = now + record.throttleMs
  }

  #getRecord(workspaceId: string): OffenseRecord {
    const existing = this.#records.get(workspaceId)
    const record = existing ?? { until: 0, throttleMs: 0, offenses: 0, excessMs: 0, excessAt: 0 }
    putLast(this.#records, workspaceId, record, MAX_ENTRIES)
    return record
  }
}

interface OffenseRecord {
  until: number
  throttleMs: number
  offenses: number
  excessMs: number
  excessAt: number
}

/** A check computes 2 to 5 ms at a stretch, and 30 ms if the modules of a large bundle run again for each call. */
const ALLOWED_STEP_MS = 40
const DECAY_MS_PER_SECOND = 40
const MAX_EXCESS_MS = 600
const MIN_THROTTLE_MS = 60_000
const MAX_THROTTLE_MS = 15 * 60_000
const OFFENSE_EXPIRY_MS = 30 * 60_000
const HEAVY_BUNDLE_MS = 10 * 60_000
const MAX_ENTRIES = 1_000
