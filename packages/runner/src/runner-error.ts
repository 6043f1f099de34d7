import type { LastExchange, RunnerErrorCode } from './runner-types.ts'

/** A failed call. `message` is one sentence, free of secrets and at most about 600 characters long. */
export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: RunnerErrorCode
  /** How the last request of the call ended. */
  readonly lastExchange: LastExchange
  /** The HTTP status of the last response; undefined if the last request got none, or there was no request. */
  readonly lastStatus: number | undefined
  /** The provider's id of that request; undefined if it sent none. */
  readonly lastRequestId: string | undefined

  /** When to retry, in milliseconds; only with `overloaded`. */
  readonly retryAfterMs: number | undefined

  /** Whether the bundle is the cause. A busy machine also lets time run out and processes crash. */
  readonly isConclusive: boolean

  constructor(
    code: RunnerErrorCode,
    message: string,
    lastExchange: LastExchange = 'none',
    lastStatus?: number,
    retryAfterMs?: number,
    lastRequestId?: string,
    isConclusive = true,
  ) {
    super(message)
    this.code = code
    this.lastExchange = lastExchange
    this.lastStatus = lastStatus
    this.retryAfterMs = retryAfterMs
    this.lastRequestId = lastRequestId
    this.isConclusive = isConclusive
  }
}
