import type { ChildProcess } from 'node:child_process'
import type { RunnerOptions } from '../runner.ts'
import type { CallStep, ChildMessage, EndMessage, HostMessage } from '../sandbox/messages.ts'
import type { BundleImages } from './bundle-images.ts'
import type { Call } from './call.ts'
import { ChildCalls, limitViolation } from './child-calls.ts'
import { RunnerProcess } from './child-channel.ts'
import { FairQueue } from './fair-queue.ts'
import { ChildRelay, Relay, type RelayDeps } from './relay.ts'
import type { SandboxFiles } from './sandbox-files.ts'

/** One runner child and the calls inside it. */
export class Child {
  readonly #process: RunnerProcess
  readonly #events: ChildEvents
  readonly #images: BundleImages
  readonly #relay: ChildRelay
  readonly #calls = new ChildCalls((offendingCallId) => this.#killOverdue(offendingCallId))
  readonly #scheduler: ComputeScheduler
  #overdueCallId = 0
  /** Calls that this child has completed. */
  completedCalls = 0
  /** Resident memory after the last call, in bytes. */
  rss = 0
  isReady = false
  readonly isIsolated: boolean
  /** Accepts no more calls. */
  isDraining = false
  /** It was shut down as planned. */
  isRetired = false

  constructor(
    child: ChildProcess,
    deps: ChildDeps,
    events: ChildEvents,
    { startTimeoutMs, isIsolated }: ChildOptions,
  ) {
    this.#events = events
    this.isIsolated = isIsolated
    this.#images = deps.images
    this.#relay = new ChildRelay(new Relay(deps), (call, message) =>
      this.#scheduler.schedule(call, message),
    )
    this.#scheduler = new ComputeScheduler(
      (message) => this.#process.send(message),
      (call) => this.#calls.has(call),
    )
    const processEvents = {
      message: (message: ChildMessage) => this.#receive(message),
      protocolError: (reason: string) => this.#killUntrusted(reason),
      startTimedOut: () => this.#killBecause('it did not start'),
      exited: () => this.#handleExit(),
    }
    this.#process = new RunnerProcess(child, processEvents, startTimeoutMs)
  }

  /** Resolves when the process has exited. */
  get exited(): Promise<void> {
    return this.#process.exited
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get running(): number {
    return this.#calls.size
  }

  /** Number of calls of a workspace in this child. */
  runningOf(workspaceId: string): number {
    return this.#calls.countOf(workspaceId)
  }

  get isIdle(): boolean {
    return this.#scheduler.isIdle
  }

  /** Stops the calls of a workspace so that they can be restarted elsewhere, except those that must not be retried. */
  evict(workspaceId: string): void {
    for (const call of this.#calls)
      if (call.tenant.workspaceId === workspaceId && !call.hasSideEffects)
        this.#process.send({ type: 'cancel', call: call.id })
  }

  /** Whether a call may start in this child now. */
  accepts(call: Call): boolean {
    return this.#scheduler.accepts(call)
  }

  start(call: Call): void {
    call.startAttempt()
    this.#process.ref()
    this.#calls.add(call)
    this.#scheduler.schedule(call, call.toRunMessage(this.isIsolated ? undefined : SLICE_MS))
  }

  /** Kills the process. Its calls have ended when `exited` resolves. */
  kill(): void {
    this.#process.kill()
  }

  #killOverdue(offendingCallId: number): void {
    this.#overdueCallId = offendingCallId
    this.#killBecause('a call did not end')
  }

  #killBecause(reason: string): void {
    this.#events.onWarning(`killed a runner child: ${reason}`, { pid: this.pid })
    this.kill()
  }

  // Its guest may have escaped, so the child is not given another chance.
  #killUntrusted(reason: string): void {
    const detail = { pid: this.pid, why: reason }
    this.#events.onWarning('killed a runner child: it violated the protocol', detail)
    this.isDraining = true
    this.kill()
  }

  #receive(message: ChildMessage): void {
    // It runs calls, so its images must not reach other processes.
    if (message.type === 'image') return void this.#killUntrusted('it sent an image')
    if (message.type === 'ready') {
      this.isReady = true
      this.#process.markStarted()
      this.#allowExit()
      this.#events.onReady()
    } else if (message.type === 'idle') {
      this.#calls.markIdle(message.steps, (call, step) => this.#events.onComputed(call, step))
      this.#scheduler.markIdle()
      this.#events.onIdle()
    } else if (message.type === 'crash') {
      this.#events.onWarning('a runner child failed', { pid: this.pid, message: message.message })
    } else {
      const tracked = this.#calls.get(message.call)
      if (tracked === undefined) return
      const violation = limitViolation(tracked.call.limits, tracked.usage, message)
      if (violation === undefined) this.#receiveCallMessage(tracked.call, message)
      else this.#killUntrusted(violation)
    }
  }

  #receiveCallMessage(call: Call, message: ChildMessage & { call: number }): void {
    if (message.type === 'busy') this.#calls.markComputing(call)
    else if (message.type === 'code-request') void this.#load(call, message.acceptsImage)
    else if (message.type === 'request') void this.#relay.send(call, message)
    else if (message.type === 'abort') this.#relay.abort(call, message.request)
    else if (message.type === 'end') this.#finish(call, message)
  }

  #finish(call: Call, end: EndMessage): void {
    const { outcome } = end
    this.completedCalls++
    this.rss = end.rss
    this.#untrack(call, !outcome.ok && (outcome.reason === 'cpu' || outcome.reason === 'memory'))
    if (settleCall(call, end) === 'preempted') this.#events.onPreempted(call)
  }

  async #load(call: Call, acceptsImage: boolean): Promise<void> {
    const { bundle } = call
    const loading = this.#images.load(bundle, { acceptsImage, isBuilt: !this.isIsolated })
    const message = await loading.catch((error: unknown) => {
      for (const each of this.#calls.notStarted(bundle.sha256)) {
        this.#untrack(each, false)
        each.fail(error)
      }
      return { type: 'code', sha256: bundle.sha256, code: undefined } as const
    })
    this.#scheduler.schedule(call, message)
  }

  #untrack(call: Call, isHarmful: boolean): void {
    this.#calls.remove(call)
    this.#allowExit()
    this.#events.onCallEnded(call, isHarmful)
  }

  // A child without calls must not keep the service alive.
  #allowExit(): void {
    if (this.#calls.size === 0) this.#process.unref()
  }

  #handleExit(): void {
    this.isReady = false
    this.isDraining = true
    const affectedCalls: Call[] = []
    const offendingCallId = this.#overdueCallId || this.#calls.computingCallId
    for (const call of this.#calls) {
      call.abortController.abort()
      this.#untrack(call, call.id === offendingCallId)
      if (call.id !== offendingCallId) affectedCalls.push(call)
      else if (this.#overdueCallId === 0) call.failCrashed()
      else call.failTimedOut()
    }
    this.#events.onExit(affectedCalls)
  }
}

/** CPU time that a call may use at a stretch while others wait for their turn, in milliseconds. */
const SLICE_MS = 100

/**
 * Delivers the outcome of a call that left its child.
 *
 * @returns `preempted` when the call was stopped and has to be restarted elsewhere
 */
function settleCall(call: Call, end: EndMessage): 'settled' | 'preempted' {
  const { outcome } = end
  if (call.isSettled) return 'settled'
  // Requests of this attempt are no longer awaited.
  call.abortController.abort()
  const isStopped = !outcome.ok && (outcome.reason === 'slice' || outcome.reason === 'cancelled')
  if (isStopped && !call.hasSideEffects) return 'preempted'
  if (isStopped) call.rejectOverloaded(NOT_RETRYABLE, RETRY_AFTER_MS)
  else call.finish(end)
  return 'settled'
}

const RETRY_AFTER_MS = 1_000
const NOT_RETRYABLE = "The workspace's other calls use too much CPU time. Try again later."

/**
 * Schedules the computing of the calls in one child. Messages that make a call compute are sent to the child one at a
 * time, workspace by workspace, so a call waits for one stretch of computing and not for everything its neighbours have
 * to do.
 */
class ComputeScheduler {
  readonly #queue = new FairQueue<ScheduledMessage>()
  readonly #send: (message: HostMessage) => void
  readonly #isRunning: (call: Call) => boolean
  /** The child is processing a message, or is about to. */
  #isBusy = false
  /** Calls that wait for their first turn. */
  #pendingStarts = 0

  constructor(send: (message: HostMessage) => void, isRunning: (call: Call) => boolean) {
    this.#send = send
    this.#isRunning = isRunning
  }

  /** No call computes or waits for its turn. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#queue.length === 0
  }

  /**
   * Whether a new call may start here although others compute: its turn comes as soon as theirs. No two calls wait for
   * their start, so that the next one uses whichever child is free first.
   */
  accepts({ tenant: { workspaceId } }: Call): boolean {
    if (this.isIdle) return true
    return (
      this.#pendingStarts === 0 &&
      this.#queue.length > 0 &&
      this.#queue.countItems(workspaceId) === 0
    )
  }

  schedule(call: Call, message: HostMessage): void {
    if (message.type === 'run') this.#pendingStarts++
    this.#queue.enqueue(call.tenant.workspaceId, { call, message })
    this.#sendNext()
  }

  /** The child has finished its work. */
  markIdle(): void {
    this.#isBusy = false
    this.#sendNext()
  }

  #sendNext(): void {
    while (!this.#isBusy) {
      const scheduled = this.#queue.takeNext()
      if (scheduled === undefined) return
      if (scheduled.message.type === 'run') this.#pendingStarts--
      const { type } = scheduled.message
      // All calls that wait for the code need it, even if the one that requested it has ended.
      if (type !== 'code' && type !== 'image' && !this.#isRunning(scheduled.call)) continue
      this.#isBusy = true
      this.#send(scheduled.message)
    }
  }
}

/** The messages that one call needs to continue. */
interface ScheduledMessage {
  readonly call: Call
  readonly message: HostMessage
}

/** Events of a child, for its pool. */
export interface ChildEvents {
  onReady(): void
  /** A call left the child. `isHarmful`: it blocked or crashed the calls beside it. */
  onCallEnded(call: Call, isHarmful: boolean): void
  /** A call that computed too long was stopped. It had sent nothing but GET and HEAD. */
  onPreempted(call: Call): void
  /** A call computed without a pause. */
  onComputed(call: Call, step: CallStep): void
  /** No call computes: the child may have capacity for another one. */
  onIdle(): void
  /** The process exited. The call that caused it has failed; `others` are the calls it interrupted. */
  onExit(affectedCalls: readonly Call[]): void
  onWarning(message: string, detail: Record<string, unknown>): void
}

/** Events of all children, for the pool. */
export type SupervisorEvents = Omit<ChildEvents, 'onWarning'>

/** What all children share. */
export interface ChildDeps extends RelayDeps {
  readonly images: BundleImages
}

/** How a child is used. */
interface ChildOptions {
  /** The timeout for its start. */
  readonly startTimeoutMs: number
  /** Reserved for calls that must not share a child with other workspaces. */
  readonly isIsolated: boolean
}

/** What the supervisor of the children depends on. */
export interface SupervisorDeps {
  /** Number of children that all workspaces share. */
  readonly size: number
  readonly options: RunnerOptions
  readonly files: SandboxFiles
  readonly relayDeps: RelayDeps
}
