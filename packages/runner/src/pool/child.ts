import type { ChildProcess } from 'node:child_process'
import type { CallStep, ChildMessage, Outcome } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { CallsInside } from './calls-inside.ts'
import type { ChildEvents } from './child-events.ts'
import { RunnerProcess } from './child-process.ts'
import { excessOf } from './excess.ts'
import { Relay, type RelayDeps } from './relay.ts'
import { Turns } from './turns.ts'

/** One runner child and the calls inside it. */
export class Child {
  readonly #process: RunnerProcess
  readonly #events: ChildEvents
  readonly #relay: Relay
  readonly #calls = new CallsInside((culprit) => this.#stop(culprit))
  readonly #turns: Turns
  #overdue = 0
  /** Calls that it has ended. */
  served = 0
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
    { startMs, isIsolated }: { readonly startMs: number; readonly isIsolated: boolean },
  ) {
    this.#events = events
    this.isIsolated = isIsolated
    this.#relay = new Relay(deps, (call, message) => this.#turns.take(call, message))
    this.#turns = new Turns(
      (message) => this.#process.send(message),
      (call) => this.#calls.has(call),
    )
    const processEvents = {
      message: (message: ChildMessage) => this.#receive(message),
      broken: (why: string) => this.#distrust(why),
      late: () => this.#killFor('it did not start'),
      gone: () => this.#gone(),
    }
    this.#process = new RunnerProcess(child, processEvents, startMs)
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
    return this.#turns.isIdle
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
    return this.#turns.accepts(call)
  }

  start(call: Call): void {
    const { id, command, params, limits, bundle } = call
    call.begin()
    this.#process.ref()
    this.#calls.add(call)
    const sliceMs = this.isIsolated ? undefined : SLICE_MS
    const run = { type: 'run', call: id, sha256: bundle.sha256, command, params, limits } as const
    this.#turns.take(call, { ...run, sliceMs })
  }

  /** Ends the process at once. Its calls are over when `exited` resolves. */
  kill(): void {
    this.#process.kill()
  }

  #stop(culprit: number): void {
    this.#overdue = culprit
    this.#killFor('a call did not end')
  }

  #killFor(why: string): void {
    this.#events.warn(`killed a runner child: ${why}`, { pid: this.pid })
    this.kill()
  }

  // Its guest may have escaped: it gets no second chance.
  #distrust(why: string): void {
    this.#events.warn('killed a runner child: it broke the protocol', { pid: this.pid, why })
    this.isDraining = true
    this.kill()
  }

  #receive(message: ChildMessage): void {
    if (message.type === 'ready') {
      this.isReady = true
      this.#process.started()
      this.#letExit()
      this.#events.ready()
    } else if (message.type === 'rest') {
      this.#rest(message.steps)
    } else if (message.type === 'crash') {
      this.#events.warn('a runner child failed', { pid: this.pid, message: message.message })
    } else {
      const held = this.#calls.get(message.call)
      if (held === undefined) return
      const excess = excessOf(held.call.limits, held.asked, message)
      if (excess === undefined) this.#receiveFor(held.call, message)
      else this.#distrust(excess)
    }
  }

  #receiveFor(call: Call, message: ChildMessage & { call: number }): void {
    if (message.type === 'enter') this.#calls.enter(call)
    else if (message.type === 'need') void this.#load(call)
    else if (message.type === 'request') void this.#relay.send(call, message)
    else if (message.type === 'abort') this.#relay.abort(call, message.request)
    else if (message.type === 'end') {
      this.served++
      this.rss = message.rss
      this.#end(call, message.outcome)
    }
  }

  #end(call: Call, outcome: Outcome): void {
    const reason = outcome.ok ? undefined : outcome.reason
    this.#forget(call, reason === 'cpu' || reason === 'memory')
    if (call.isSettled) return
    // What this attempt has sent is not waited for any more.
    call.abort.abort()
    if (reason !== 'slice' && reason !== 'cancelled') call.end(outcome)
    else if (call.hasSideEffects) call.refuse(NOT_TWICE, RETRY_MS)
    else this.#events.preempted(call)
  }

  #rest(steps: readonly CallStep[]): void {
    this.#calls.rest(steps, (call, step) => this.#events.computed(call, step))
    this.#turns.rest()
    this.#events.rested(this)
  }

  async #load(call: Call): Promise<void> {
    const { sha256 } = call.bundle
    const code = await call.bundle.load().catch((error: unknown): undefined => {
      for (const each of this.#calls.unstarted(sha256)) {
        this.#forget(each, false)
        each.fail(error)
      }
    })
    this.#turns.take(call, { type: 'code', sha256, code })
  }

  #forget(call: Call, isHarmful: boolean): void {
    this.#calls.remove(call)
    this.#letExit()
    this.#events.ended(call, isHarmful)
  }

  // A child without calls is no reason for the service to stay alive.
  #letExit(): void {
    if (this.#calls.size === 0) this.#process.unref()
  }

  #gone(): void {
    this.isReady = false
    this.isDraining = true
    const others: Call[] = []
    const culprit = this.#overdue || this.#calls.entered
    for (const call of this.#calls) {
      call.abort.abort()
      this.#forget(call, call.id === culprit)
      if (call.id !== culprit) others.push(call)
      else if (this.#overdue === 0) call.crashed()
      else call.end({ ok: false, reason: 'wall', message: '' })
    }
    this.#events.gone(this, others)
  }
}

const RETRY_MS = 1_000
const NOT_TWICE = 'Other calls of the workspace take too much time. Try again later.'
/** How long a call may compute where others wait for their turn, in milliseconds of CPU time. */
const SLICE_MS = 100
