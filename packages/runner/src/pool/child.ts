import type { ChildProcess } from 'node:child_process'
import type { CallStep, ChildMessage, HostMessage, Outcome } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { CallsInside } from './calls-inside.ts'
import { ChildChannel } from './child-channel.ts'
import type { ChildEvents } from './child-events.ts'
import { excessOf } from './excess.ts'
import { killGroup } from './kill-group.ts'
import { Relay, type RelayDeps } from './relay.ts'
import { Turns } from './turns.ts'
import { within } from './within.ts'

/** One runner child and the calls inside it. */
export class Child {
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #channel: ChildChannel
  readonly #events: ChildEvents
  readonly #relay: Relay
  readonly #startLimit: NodeJS.Timeout
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
    this.#process = child
    this.#events = events
    this.isIsolated = isIsolated
    this.#relay = new Relay(deps, (call, message) => this.#turns.take(call, message))
    this.#turns = new Turns(
      (message) => this.#send(message),
      (call) => this.#calls.has(call),
    )
    this.#startLimit = setTimeout(() => this.#giveUp(), startMs).unref()
    this.#channel = new ChildChannel(child, {
      message: (message) => this.#receive(message),
      broken: (why) => this.#distrust(why),
    })
    this.exited = new Promise((resolve) => {
      const gone = () => {
        this.#gone()
        resolve()
      }
      // What it wrote last says which call computed.
      child.once('exit', () => void within(LAST_WORDS_MS, this.#channel.ended).then(gone))
      // Also emitted when a message could not be sent; without a pid there was never a process.
      child.on('error', () => child.pid === undefined && gone())
    })
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get running(): number {
    return this.#calls.size
  }

  get isIdle(): boolean {
    return this.#turns.isIdle
  }

  /** Ends the calls of a workspace, to start them again elsewhere, unless they must not be sent twice. */
  evict(workspaceId: string): void {
    for (const call of this.#calls) {
      if (call.tenant.workspaceId !== workspaceId || call.hasSideEffects) continue
      this.#send({ type: 'cancel', call: call.id })
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
    this.#channel.ref()
    this.#calls.add(call)
    const sliceMs = this.isIsolated ? undefined : SLICE_MS
    const run = { type: 'run', call: id, sha256: bundle.sha256, command, params, limits } as const
    this.#turns.take(call, { ...run, sliceMs })
  }

  /** Ends the process at once. Its calls are over when `exited` resolves. */
  kill(): void {
    this.#process.ref()
    killGroup(this.#process)
  }

  #giveUp(): void {
    this.#events.warn('killed a runner child: it did not start', { pid: this.pid })
    this.kill()
  }

  #stop(culprit: number): void {
    this.#overdue = culprit
    this.#events.warn('killed a runner child: a call did not end', { pid: this.pid })
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
      clearTimeout(this.#startLimit)
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
    const { bundle } = call
    const { sha256 } = bundle
    try {
      const code = await bundle.load()
      this.#turns.take(call, { type: 'code', sha256, code })
    } catch (error) {
      for (const each of this.#calls) {
        if (each.bundle.sha256 !== sha256 || each.hasStarted) continue
        this.#forget(each, false)
        each.fail(error)
      }
      this.#turns.take(call, { type: 'code', sha256, code: undefined })
    }
  }

  #forget(call: Call, isHarmful: boolean): void {
    this.#calls.remove(call)
    this.#letExit()
    this.#events.ended(call, isHarmful)
  }

  // A child without calls is no reason for the service to stay alive.
  #letExit(): void {
    if (this.#calls.size > 0) return
    this.#process.unref()
    this.#channel.unref()
  }

  #gone(): void {
    clearTimeout(this.#startLimit)
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

  #send(message: HostMessage): void {
    this.#channel.send(message)
  }
}

const RETRY_MS = 1_000
const NOT_TWICE = 'Other calls of the workspace take too much time. Try again later.'
/** How long a call may compute where others wait for their turn, in milliseconds of CPU time. */
const SLICE_MS = 100
/** How long the pipe of a child that exited may take to end, in milliseconds. */
const LAST_WORDS_MS = 1_000
