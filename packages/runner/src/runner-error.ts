import type { LastExchange, RunnerErrorCode } from './runner-types.ts'

/** A call that has no answer. `message` is one sentence, free of secrets and at most about 600 characters long. */
export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: RunnerErrorCode
  /** How the last request of the call went. */
  readonly lastExchange: LastExchange
  /** The HTTP status of the last request's answer; undefined when it got none, or there was no request. */
  readonly lastStatus: number | undefined

  /** When to try again, in milliseconds; only with `overloaded`. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: RunnerErrorCode,
    message: string,
    lastExchange: LastExchange = 'none',
    lastStatus?: number,
    retryAfterMs?: number,
  ) {
    super(message)
    this.code = code
    this.lastExchange = lastExchange
    this.lastStatus = lastStatus
    this.retryAfterMs = retryAfterMs
  }
}
