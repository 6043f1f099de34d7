import type { HostMessage } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { FairQueue } from './fair-queue.ts'

/**
 * Gives the calls of one child their turns to compute. What makes a call compute goes to the child one message at a
 * time, workspace after workspace, so a call waits for one stretch of computing and not for all that its neighbours
 * have to do.
 */
export class ComputeScheduler {
  readonly #queue = new FairQueue<ScheduledMessage>()
  readonly #send: (message: HostMessage) => void
  readonly #isRunning: (call: Call) => boolean
  /** The child works on a message, or will in a moment. */
  #isBusy = false
  /** Calls that wait for their first turn. */
  #pendingStarts = 0

  constructor(send: (message: HostMessage) => void, isRunning: (call: Call) => boolean) {
    this.#send = send
    this.#isRunning = isRunning
  }

  /** No call computes, and none waits for its turn. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#queue.length === 0
  }

  /**
   * Whether a new call may start here although others compute: its turn comes as soon as theirs. No two calls wait for
   * their start, so that the next one takes whichever child is free first.
   */
  accepts({ tenant: { workspaceId } }: Call): boolean {
    if (this.isIdle) return true
    return (
      this.#pendingStarts === 0 && this.#queue.length > 0 && this.#queue.lengthOf(workspaceId) === 0
    )
  }

  schedule(call: Call, message: HostMessage): void {
    if (message.type === 'run') this.#pendingStarts++
    this.#queue.enqueue(call.tenant.workspaceId, { call, message })
    this.#sendNext()
  }

  /** The child has done its work. */
  markIdle(): void {
    this.#isBusy = false
    this.#sendNext()
  }

  #sendNext(): void {
    while (!this.#isBusy) {
      const scheduled = this.#queue.takeNext(() => true)
      if (scheduled === undefined) return
      if (scheduled.message.type === 'run') this.#pendingStarts--
      // Code is for all calls that wait for it, also when the one that asked first has ended.
      if (scheduled.message.type !== 'code' && !this.#isRunning(scheduled.call)) continue
      this.#isBusy = true
      this.#send(scheduled.message)
    }
  }
}

/** What one call has to be given to go on. */
interface ScheduledMessage {
  readonly call: Call
  readonly message: HostMessage
}
