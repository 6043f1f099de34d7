import type { ChildProcess } from 'node:child_process'
import type { HostMessage } from '../sandbox/messages.ts'
import { type ChannelEvents, ChildChannel } from './child-channel.ts'
import { killProcessGroup } from './kill-process-group.ts'
import { waitAtMost } from './wait-at-most.ts'

/** What happens to the process of a runner child. */
export interface ProcessEvents extends ChannelEvents {
  /** It was not ready in time. */
  startTimedOut(): void
  /** It is gone, and everything that it wrote was read. */
  exited(): void
}

/** The process of a runner child, with the channel to it. */
export class RunnerProcess {
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #channel: ChildChannel
  readonly #startTimeout: NodeJS.Timeout

  /** `startMs`: how long it may take to be ready. */
  constructor(child: ChildProcess, events: ProcessEvents, startTimeoutMs: number) {
    this.#process = child
    this.#startTimeout = setTimeout(() => events.startTimedOut(), startTimeoutMs).unref()
    this.#channel = new ChildChannel(child, events)
    this.exited = new Promise((resolve) => {
      const onExit = () => {
        clearTimeout(this.#startTimeout)
        events.exited()
        resolve()
      }
      // What it wrote last says which call computed.
      child.once('exit', () => void waitAtMost(DRAIN_TIMEOUT_MS, this.#channel.ended).then(onExit))
      // Also emitted when a message could not be sent; without a pid there was never a process.
      child.on('error', () => child.pid === undefined && onExit())
    })
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** It was ready in time. */
  markStarted(): void {
    clearTimeout(this.#startTimeout)
  }

  send(message: HostMessage): void {
    this.#channel.send(message)
  }

  /** Whether it is a reason for the service to stay alive. */
  ref(): void {
    this.#process.ref()
    this.#channel.ref()
  }

  unref(): void {
    this.#process.unref()
    this.#channel.unref()
  }

  /** Ends it at once. It is gone when `exited` resolves. */
  kill(): void {
    this.#process.ref()
    killProcessGroup(this.#process)
  }
}

/** How long the pipe of a child that exited may take to end, in milliseconds. */
const DRAIN_TIMEOUT_MS = 1_000
