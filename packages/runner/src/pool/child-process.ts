import type { ChildProcess } from 'node:child_process'
import type { HostMessage } from '../sandbox/messages.ts'
import { type ChannelEvents, ChildChannel } from './child-channel.ts'
import { killGroup } from './kill-group.ts'
import { within } from './within.ts'

/** What happens to the process of a runner child. */
export interface ProcessEvents extends ChannelEvents {
  /** It was not ready in time. */
  late(): void
  /** It is gone, and everything that it wrote was read. */
  gone(): void
}

/** The process of a runner child, with the channel to it. */
export class RunnerProcess {
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #channel: ChildChannel
  readonly #startLimit: NodeJS.Timeout

  /** `startMs`: how long it may take to be ready. */
  constructor(child: ChildProcess, events: ProcessEvents, startMs: number) {
    this.#process = child
    this.#startLimit = setTimeout(() => events.late(), startMs).unref()
    this.#channel = new ChildChannel(child, events)
    this.exited = new Promise((resolve) => {
      const gone = () => {
        clearTimeout(this.#startLimit)
        events.gone()
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

  /** It was ready in time. */
  started(): void {
    clearTimeout(this.#startLimit)
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
    killGroup(this.#process)
  }
}

/** How long the pipe of a child that exited may take to end, in milliseconds. */
const LAST_WORDS_MS = 1_000
