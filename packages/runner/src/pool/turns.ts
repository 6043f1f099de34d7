import type { HostMessage } from '../sandbox/messages.ts'
import type { Call } from './call.ts'
import { FairQueue } from './fair-queue.ts'

/**
 * Gives the calls of one child their turns to compute. What makes a call compute goes to the child one message at a
 * time, workspace after workspace, so a call waits for one stretch of computing and not for all that its neighbours
 * have to do.
 */
export class Turns {
  readonly #queue = new FairQueue<Turn>()
  readonly #send: (message: HostMessage) => void
  readonly #isInside: (call: Call) => boolean
  /** The child works on a message, or will in a moment. */
  #isTaken = false
  /** Calls that wait for their first turn. */
  #starts = 0

  constructor(send: (message: HostMessage) => void, isInside: (call: Call) => boolean) {
    this.#send = send
    this.#isInside = isInside
  }

  /** No call computes, and none waits for its turn. */
  get isIdle(): boolean {
    return !this.#isTaken && this.#queue.length === 0
  }

  /**
   * Whether a new call may start here although others compute: its turn comes as soon as theirs. No two calls wait for
   * their start, so that the next one takes whichever child is free first.
   */
  accepts({ tenant: { workspaceId } }: Call): boolean {
    if (this.isIdle) return true
    return this.#starts === 0 && this.#queue.length > 0 && this.#queue.lengthOf(workspaceId) === 0
  }

  take(call: Call, message: HostMessage): void {
    if (message.type === 'run') this.#starts++
    this.#queue.join(call.tenant.workspaceId, { call, message })
    this.#next()
  }

  /** The child has done its work. */
  rest(): void {
    this.#isTaken = false
    this.#next()
  }

  #next(): void {
    while (!this.#isTaken) {
      const turn = this.#queue.next(() => true)
      if (turn === undefined) return
      if (turn.message.type === 'run') this.#starts--
      // Code is for all calls that wait for it, also when the one that asked first has ended.
      if (turn.message.type !== 'code' && !this.#isInside(turn.call)) continue
      this.#isTaken = true
      this.#send(turn.message)
    }
  }
}

/** What one call has to be given to go on. */
interface Turn {
  readonly call: Call
  readonly message: HostMessage
}
