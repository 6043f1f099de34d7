import type { ChildProcess } from 'node:child_process'
import type { HostMessage } from '../sandbox/messages.ts'
import { type ChannelEvents, ChildChannel } from './child-channel.ts'

/** Events of the process of a runner child. */
export interface ProcessEvents extends ChannelEvents {
  /** It was not ready in time. */
  startTimedOut(): void
  /** It has exited, and everything that it wrote was read. */
  exited(): void
}

/** The process of a runner child, with the channel to it. */
export class RunnerProcess {
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #channel: ChildChannel
  readonly #startTimeout: NodeJS.Timeout
  #isKilled = false

  /** `startMs`: the timeout for its start. */
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
      // Its last messages show which call computed.
      child.once('exit', () => void waitAtMost(DRAIN_TIMEOUT_MS, this.#channel.ended).then(onExit))
      // Also emitted when a message could not be sent; without a pid the process never started.
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

  /** Whether it keeps the service alive. */
  ref(): void {
    this.#process.ref()
    this.#channel.ref()
  }

  /** Without effect after `kill`: the service waits for the exit and must not end before it. */
  unref(): void {
    if (this.#isKilled) return
    this.#process.unref()
    this.#channel.unref()
  }

  /** Kills the process. `exited` resolves when it is gone. */
  kill(): void {
    this.#isKilled = true
    this.#process.ref()
    killProcessGroup(this.#process)
  }
}

/** How long the pipe of an exited child may take to end, in milliseconds. */
const DRAIN_TIMEOUT_MS = 1_000

/** Waits for a promise, with a timeout. */
async function waitAtMost(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}

/** Kills a process and everything that it started. It must be a process group leader. */
export function killProcessGroup(child: ChildProcess): void {
  child.kill('SIGKILL')
  if (child.pid === undefined || process.platform === 'win32') return
  try {
    // Killed in its first milliseconds, bubblewrap would leave an incomplete sandbox behind.
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The whole group has already exited.
  }
}
