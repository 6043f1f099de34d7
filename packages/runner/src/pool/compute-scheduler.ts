import type { HostMessage } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { FairQueue } from './fair-queue.ts'

/**
 * Schedules the computing of the calls in one child. Messages that make a call compute are sent to the child one at a
 * time, workspace by workspace, so a call waits for one stretch of computing and not for everything its neighbours have
 * to do.
 */
export class ComputeScheduler {
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
      const scheduled = this.#queue.takeNext(() => true)
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
