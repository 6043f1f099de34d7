import { RunnerError } from '../runner-error.ts'
import type { Lane, RunnerOptions, RunnerStats } from '../runner-types.ts'
import type { Step } from '../sandbox/engine.ts'
import { Admission, type Lanes } from './admission.ts'
import type { Call } from './call.ts'
import type { Child } from './child.ts'
import { CHECKS_PER_CHILD, Fleet } from './fleet.ts'
import { HostSlots } from './host-slots.ts'
import { placesFor } from './places.ts'
import { Presence } from './presence.ts'
import { QueueReview } from './queue-review.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import { Throttle } from './throttle.ts'

/** Gives calls their places in the children: fairly by workspace, and not at all where the wait would be too long. */
export class Pool {
  readonly #fleet: Fleet
  readonly #lanes: Lanes
  readonly #throttle = new Throttle(Date.now)
  readonly #presence = new Presence()
  readonly #up = Promise.withResolvers<void>()
  /** The lane that is served next comes first. */
  readonly #order: Lane[] = ['credentials', 'checks']
  readonly #review: QueueReview
  #preemptions = 0
  #retries = 0
  #isClosed = false

  constructor(size: number, options: RunnerOptions, files: SandboxFiles) {
    const places = Math.min(placesFor(options.waitingMemoryMb), size * CHECKS_PER_CHILD)
    this.#lanes = {
      credentials: new Admission(Math.ceil(places / 4)),
      checks: new Admission(places),
    }
    this.#up.promise.catch(() => {})
    this.#review = new QueueReview({
      ...{ lanes: this.#lanes, size },
      isUp: (isIsolated) => this.#fleet.isUp(isIsolated),
      reviewed: () => this.#dispatch(),
    })
    const hosts = new HostSlots(Math.max(2, Math.floor(places / 4)), (call) => {
      this.#lanes[call.lane].refused++
    })
    this.#fleet = new Fleet(
      { size, options, files, hosts },
      {
        ready: () => {
          this.#up.resolve()
          this.#dispatch()
        },
        ended: (call, isHarmful) => this.#ended(call, isHarmful),
        preempted: (call) => this.#preempted(call),
        computed: (call, step) => this.#computed(call, step),
        rested: () => this.#dispatch(),
        gone: (_child, others) => this.#gone(others),
      },
    )
  }

  ready(): Promise<void> {
    return this.#up.promise
  }

  /** Starts a call, queues it, or refuses it where the wait would be too long. */
  run(call: Call): void {
    if (this.#isClosed) return void call.fail(closed())
    const lane = this.#lanes[call.lane]
    const { workspaceId } = call.tenant
    this.#presence.note(workspaceId, performance.now())
    call.isIsolated = this.#throttle.isIsolated(workspaceId, call.bundle.sha256)
    if (!lane.hasRoom(call)) return void this.#review.refuse(call)
    lane.join(call)
    this.#dispatch()
    this.#review.review(call)
  }

  stats(): RunnerStats {
    const { credentials, checks } = this.#lanes
    const lanes = { credentials: credentials.stats(), checks: checks.stats() }
    return {
      children: this.#fleet.size,
      running: credentials.slots.size + checks.slots.size,
      waiting: credentials.queue.length + checks.queue.length,
      restarts: this.#fleet.restarts,
      replacements: this.#fleet.replacements,
      lanes,
      throttledWorkspaces: this.#throttle.throttled,
      preemptions: this.#preemptions,
      retries: this.#retries,
    }
  }

  /** Ends all calls and all children. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#review.stop()
    this.#up.reject(closed())
    for (const lane of Object.values(this.#lanes)) {
      for (const call of [...lane.queue]) {
        lane.leave(call)
        call.fail(closed())
      }
    }
    await this.#fleet.close()
  }

  #dispatch(): void {
    if (this.#isClosed) return
    while (this.#startNext(false) || this.#startNext(true)) {
      // Until nothing more may start.
    }
    if (this.stats().waiting > 0) this.#review.soon()
  }

  /** Starts one call in a child of that kind. The lanes take turns. */
  #startNext(isIsolated: boolean): boolean {
    const isMine = (call: Call) => call.isIsolated === isIsolated
    const queues = Object.values(this.#lanes).map(({ queue }) => queue)
    if (!queues.some((queue) => [...queue].some(isMine))) return false
    for (const child of this.#fleet.candidates(isIsolated)) {
      for (const name of this.#order) {
        const call = this.#lanes[name].next(
          (each) => isMine(each) && child.accepts(each) && this.#leavesRoom(child, each),
        )
        if (call === undefined) continue
        this.#order.reverse()
        child.start(call)
        return true
      }
    }
    return false
  }

  #leavesRoom(child: Child, { tenant: { workspaceId } }: Call): boolean {
    return this.#presence.isSingle || this.#fleet.leavesOneFree(child, workspaceId)
  }

  #ended(call: Call, isHarmful: boolean): void {
    this.#lanes[call.lane].free(call)
    if (!isHarmful) return
    const { workspaceId } = call.tenant
    this.#throttling(workspaceId, () => this.#throttle.offended(workspaceId))
  }

  #computed(call: Call, { cpuMs, bytes }: Step): void {
    const { workspaceId } = call.tenant
    const lane = this.#lanes[call.lane]
    lane.charge(call, cpuMs)
    const hasGrown = lane.grow(call, bytes)
    // To fetch memory, to clear it and to give it back costs its neighbours time as well.
    const costMs = cpuMs + (hasGrown ? GROWTH_MS : 0)
    this.#throttling(workspaceId, () => this.#throttle.computed(workspaceId, costMs))
  }

  // It computed too long where others wait, and nothing that it sent forbids to start it again elsewhere.
  #preempted(call: Call): void {
    this.#preemptions++
    this.#throttle.preempted(call.tenant.workspaceId, call.bundle.sha256)
    call.isIsolated = true
    this.#requeue(call)
  }

  #gone(others: readonly Call[]): void {
    for (const call of others) {
      if (this.#isClosed) call.fail(closed())
      else if (call.attempts > MOST_ATTEMPTS || call.hasSideEffects) call.refuse(LOST, RETRY_MS)
      else {
        this.#retries++
        this.#requeue(call)
      }
    }
    this.#dispatch()
  }

  #requeue(call: Call): void {
    this.#lanes[call.lane].join(call)
    this.#review.soon()
  }

  /** A workspace that is throttled from now on takes its calls with it, wherever they are. */
  #throttling(workspaceId: string, note: () => void): void {
    const wasThrottled = this.#throttle.isThrottled(workspaceId)
    note()
    if (wasThrottled || !this.#throttle.isThrottled(workspaceId)) return
    this.#fleet.evict(workspaceId)
    this.#isolateQueued()
  }

  #isolateQueued(): void {
    for (const { queue } of Object.values(this.#lanes)) {
      for (const call of queue) {
        const { tenant, bundle } = call
        call.isIsolated ||= this.#throttle.isIsolated(tenant.workspaceId, bundle.sha256)
      }
    }
  }
}

const RETRY_MS = 1_000
const GROWTH_MS = 80
const MOST_ATTEMPTS = 2
const LOST = 'Another integration took down the process that this one ran in. Try again.'

function closed(): RunnerError {
  return new RunnerError('overloaded', 'The service is stopping.')
}
