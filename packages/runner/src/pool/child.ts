import type { ChildProcess } from 'node:child_process'
import type { CallStep, ChildMessage, Outcome } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { ChildCalls } from './child-calls.ts'
import type { ChildEvents } from './child-events.ts'
import { ComputeScheduler } from './compute-scheduler.ts'
import { limitViolation } from './limit-violation.ts'
import { Relay, type RelayDeps } from './relay.ts'
import { RunnerProcess } from './runner-process.ts'

/** One runner child and the calls inside it. */
export class Child {
  readonly #process: RunnerProcess
  readonly #events: ChildEvents
  readonly #relay: Relay
  readonly #calls = new ChildCalls((offendingCallId) => this.#killOverdue(offendingCallId))
  readonly #scheduler: ComputeScheduler
  #overdueCallId = 0
  /** Calls that it has ended. */
  completedCalls = 0
  /** Resident memory at the end of the last call, in bytes. */
  rss = 0
  isReady = false
  /** For calls that must not run beside those of others. */
  readonly isIsolated: boolean
  /** Gets no more calls. */
  isDraining = false
  /** It was ended as planned. */
  isRetired = false

  /** `startMs`: how long it may take to be ready. */
  constructor(
    child: ChildProcess,
    deps: RelayDeps,
    events: ChildEvents,
    {
      startTimeoutMs,
      isIsolated,
    }: { readonly startTimeoutMs: number; readonly isIsolated: boolean },
  ) {
    this.#events = events
    this.isIsolated = isIsolated
    this.#relay = new Relay(deps, (call, message) => this.#scheduler.schedule(call, message))
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

  /** Resolves when the process is gone. */
  get exited(): Promise<void> {
    return this.#process.exited
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get running(): number {
    return this.#calls.size
  }

  /** Calls of a workspace inside. */
  runningOf(workspaceId: string): number {
    return this.#calls.countOf(workspaceId)
  }

  get isIdle(): boolean {
    return this.#scheduler.isIdle
  }

  /** Ends the calls of a workspace, to start them again elsewhere, unless they must not be sent twice. */
  evict(workspaceId: string): void {
    for (const call of this.#calls) {
      if (call.tenant.workspaceId !== workspaceId || call.hasSideEffects) continue
      this.#process.send({ type: 'cancel', call: call.id })
    }
  }

  /** Whether a call may start here now. */
  accepts(call: Call): boolean {
    return this.#scheduler.accepts(call)
  }

  start(call: Call): void {
    const { id, command, params, limits, bundle } = call
    call.startAttempt()
    this.#process.ref()
    this.#calls.add(call)
    const sliceMs = this.isIsolated ? undefined : SLICE_MS
    const runMessage = {
      type: 'run',
      call: id,
      sha256: bundle.sha256,
      command,
      params,
      limits,
    } as const
    this.#scheduler.schedule(call, { ...runMessage, sliceMs })
  }

  /** Ends the process at once. Its calls are over when `exited` resolves. */
  kill(): void {
    this.#process.kill()
  }

  #killOverdue(offendingCallId: number): void {
    this.#overdueCallId = offendingCallId
    this.#killBecause('a call did not end')
  }

  #killBecause(reason: string): void {
    this.#events.warn(`killed a runner child: ${reason}`, { pid: this.pid })
    this.kill()
  }

  // Its guest may have escaped: it gets no second chance.
  #killUntrusted(reason: string): void {
    this.#events.warn('killed a runner child: it broke the protocol', {
      pid: this.pid,
      why: reason,
    })
    this.isDraining = true
    this.kill()
  }

  #receive(message: ChildMessage): void {
    if (message.type === 'ready') {
      this.isReady = true
      this.#process.markStarted()
      this.#allowExit()
      this.#events.ready()
    } else if (message.type === 'rest') {
      this.#markIdle(message.steps)
    } else if (message.type === 'crash') {
      this.#events.warn('a runner child failed', { pid: this.pid, message: message.message })
    } else {
      const tracked = this.#calls.get(message.call)
      if (tracked === undefined) return
      const violation = limitViolation(tracked.call.limits, tracked.usage, message)
      if (violation === undefined) this.#receiveCallMessage(tracked.call, message)
      else this.#killUntrusted(violation)
    }
  }

  #receiveCallMessage(call: Call, message: ChildMessage & { call: number }): void {
    if (message.type === 'enter') this.#calls.markComputing(call)
    else if (message.type === 'need') void this.#load(call)
    else if (message.type === 'request') void this.#relay.send(call, message)
    else if (message.type === 'abort') this.#relay.abort(call, message.request)
    else if (message.type === 'end') {
      this.completedCalls++
      this.rss = message.rss
      this.#finish(call, message.outcome)
    }
  }

  #finish(call: Call, outcome: Outcome): void {
    const reason = outcome.ok ? undefined : outcome.reason
    this.#untrack(call, reason === 'cpu' || reason === 'memory')
    if (call.isSettled) return
    // What this attempt has sent is not waited for any more.
    call.abortController.abort()
    if (reason !== 'slice' && reason !== 'cancelled') call.finish(outcome)
    else if (call.hasSideEffects) call.rejectOverloaded(NOT_RETRYABLE, RETRY_AFTER_MS)
    else this.#events.preempted(call)
  }

  #markIdle(steps: readonly CallStep[]): void {
    this.#calls.markIdle(steps, (call, step) => this.#events.computed(call, step))
    this.#scheduler.markIdle()
    this.#events.idle(this)
  }

  async #load(call: Call): Promise<void> {
    const { sha256 } = call.bundle
    const code = await call.bundle.load().catch((error: unknown): undefined => {
      for (const each of this.#calls.notStarted(sha256)) {
        this.#untrack(each, false)
        each.fail(error)
      }
    })
    this.#scheduler.schedule(call, { type: 'code', sha256, code })
  }

  #untrack(call: Call, isHarmful: boolean): void {
    this.#calls.remove(call)
    this.#allowExit()
    this.#events.ended(call, isHarmful)
  }

  // A child without calls is no reason for the service to stay alive.
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
      else call.finish({ ok: false, reason: 'wall', message: '' })
    }
    this.#events.exited(this, affectedCalls)
  }
}

const RETRY_AFTER_MS = 1_000
const NOT_RETRYABLE = 'Other calls of the workspace take too much time. Try again later.'
/** How long a call may compute where others wait for their turn, in milliseconds of CPU time. */
const SLICE_MS = 100
