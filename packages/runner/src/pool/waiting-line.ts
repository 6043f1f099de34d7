import { RunnerError } from '../runner-error.ts'
import type { Call } from './call.ts'

/** Calls that wait for a child, first come first served; bounded in number and in time. */
export class WaitingLine {
  readonly #waiting = new Map<Call, NodeJS.Timeout>()
  readonly #maxLength: number
  readonly #maxWaitMs: number

  constructor(maxLength: number, maxWaitMs: number) {
    this.#maxLength = maxLength
    this.#maxWaitMs = maxWaitMs
  }

  get length(): number {
    return this.#waiting.size
  }

  /** Lines a call up. It fails with `overloaded` when the line is full, or when its turn does not come in time. */
  join(call: Call): void {
    if (this.#waiting.size >= this.#maxLength) {
      call.fail(overloaded())
      return
    }
    const giveUp = () => {
      this.#waiting.delete(call)
      call.fail(overloaded())
    }
    this.#waiting.set(call, setTimeout(giveUp, this.#maxWaitMs))
  }

  /** Takes the call that has waited longest of those that may start. */
  next(mayStart: (call: Call) => boolean): Call | undefined {
    for (const [call, timer] of this.#waiting) {
      if (!mayStart(call)) continue
      clearTimeout(timer)
      this.#waiting.delete(call)
      return call
    }
    return undefined
  }

  /** Takes all. */
  clear(): Call[] {
    const calls = [...this.#waiting.keys()]
    for (const timer of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
    return calls
  }
}

function overloaded(): RunnerError {
  return new RunnerError('overloaded', 'Too many integrations run at the moment. Try again soon.')
}
