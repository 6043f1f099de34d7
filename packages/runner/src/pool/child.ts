import type { ChildProcess } from 'node:child_process'
import type { Gate } from '../egress/gate-types.ts'
import type { ChildMessage, HostMessage } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { ChildChannel } from './child-channel.ts'
import { type Asked, excessOf } from './excess.ts'
import { Relay } from './relay.ts'

/** What a child tells its pool. */
export interface ChildEvents {
  ready(): void
  /** A call left the child. `isHarmful`: it held up its neighbours. */
  ended(call: Call, isHarmful: boolean): void
  /** There is room for another call. */
  room(child: Child): void
  /** The process is gone. Calls that may have caused it have failed; `others` it only took down. */
  gone(child: Child, others: readonly Call[]): void
  warn(message: string, detail: Record<string, unknown>): void
}

/** One runner child and the calls inside it. */
export class Child {
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #channel: ChildChannel
  readonly #events: ChildEvents
  readonly #relay: Relay
  readonly #startLimit: NodeJS.Timeout
  readonly #calls = new Map<number, { call: Call; hardStop: NodeJS.Timeout; asked: Asked }>()
  #entered = 0
  #overdue = 0
  /** Calls that it has ended. */
  served = 0
  /** Resident memory at the end of the last call, in bytes. */
  rss = 0
  isReady = false
  /** Gets no more calls. */
  isDraining = false

  /** `startMs`: how long it may take to be ready. */
  constructor(child: ChildProcess, gate: Gate, events: ChildEvents, startMs: number) {
    this.#process = child
    this.#events = events
    this.#relay = new Relay(gate, (message) => this.#send(message))
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

  start(call: Call): void {
    const { id, command, params, limits, bundle } = call
    call.begin()
    this.#process.ref()
    this.#channel.ref()
    // The child ends its calls by itself. One that it does not end shows that it is stuck.
    const hardStop = setTimeout(() => this.#stop(call), limits.wallMs + HARD_STOP_MS)
    this.#calls.set(id, { call, hardStop, asked: { requests: 0, needs: 0 } })
    this.#send({ type: 'run', call: id, sha256: bundle.sha256, command, params, limits })
  }

  /** Ends the process at once. Its calls are over when `exited` resolves. */
  kill(): void {
    this.#process.ref()
    this.#process.kill('SIGKILL')
    const { pid } = this.#process
    if (pid === undefined || process.platform === 'win32') return
    try {
      // Killed in its first milliseconds, bubblewrap would leave a half-made box behind.
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The whole group is gone already.
    }
  }

  #giveUp(): void {
    this.#events.warn('killed a runner child: it did not start', { pid: this.pid })
    this.kill()
  }

  #stop(call: Call): void {
    this.#overdue = call.id
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
      this.#entered = 0
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
    if (message.type === 'enter') this.#enter(call)
    else if (message.type === 'need') void this.#load(call)
    else if (message.type === 'request') void this.#relay.send(call, message)
    else if (message.type === 'abort') this.#relay.abort(call, message.request)
    else if (message.type === 'end') {
      this.#forget(call, !message.outcome.ok && message.outcome.reason === 'cpu')
      this.served++
      this.rss = message.rss
      call.end(message.outcome)
      this.#events.room(this)
    }
  }

  #enter(call: Call): void {
    this.#entered = call.id
    call.hasStarted = true
  }

  async #load({ bundle }: Call): Promise<void> {
    const { sha256 } = bundle
    try {
      this.#send({ type: 'code', sha256, code: await bundle.load() })
    } catch (error) {
      for (const { call } of this.#calls.values()) {
        if (call.bundle.sha256 !== sha256 || call.hasStarted) continue
        this.#forget(call, false)
        call.fail(error)
      }
      this.#send({ type: 'code', sha256, code: undefined })
      this.#events.room(this)
    }
  }

  #forget(call: Call, isHarmful: boolean): void {
    clearTimeout(this.#calls.get(call.id)?.hardStop)
    this.#calls.delete(call.id)
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
    for (const { call } of this.#calls.values()) {
      call.abort.abort()
      this.#forget(call, call.id === this.#overdue || call.id === this.#entered)
      if (call.id === this.#overdue) call.end({ ok: false, reason: 'wall', message: '' })
      else if (call.id === this.#entered) call.crashed()
      else others.push(call)
    }
    this.#events.gone(this, others)
  }

  #send(message: HostMessage): void {
    this.#channel.send(message)
  }
}

const HARD_STOP_MS = 2_000
/** How long the pipe of a child that exited may take to end, in milliseconds. */
const LAST_WORDS_MS = 1_000

async function within(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}
