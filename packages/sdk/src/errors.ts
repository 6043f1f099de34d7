import type { ErrorCode } from './api-types.ts'

/** Problems by the paths of the fields that they concern. */
export type FieldErrors = Readonly<
  Record<string, readonly { readonly code: string; readonly message: string }[]>
>

interface ErrorDetails {
  readonly code: string
  readonly status: number
  readonly errors: FieldErrors
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
}

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** The service responded with an error. docs/errors.md explains each code. */
export class LinchpinError extends Error {
  override readonly name: string = 'LinchpinError'
  /** A stable code; `unexpected_response` if the response is not Linchpin's. Newer services may have codes that this version does not know. */
  readonly code: ErrorCode | 'unexpected_response' | (string & {})
  /** The HTTP status. */
  readonly status: number
  readonly errors: FieldErrors
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined
  /** How long the service wants a client to wait before the next attempt. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, details: ErrorDetails) {
    super(message)
    this.code = details.code
    this.status = details.status
    this.errors = details.errors
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
  }

  /** Whether the same request may succeed later. */
  get isRetryable(): boolean {
    return RETRYABLE_STATUSES.has(this.status) || this.code === 'idempotency_in_progress'
  }
}

/** No response arrived: the service cannot be reached, or the connection was closed. */
export class LinchpinConnectionError extends Error {
  override readonly name: string = 'LinchpinConnectionError'
  readonly isRetryable = true
}

/** No response arrived in time. */
export class LinchpinTimeoutError extends LinchpinConnectionError {
  override readonly name = 'LinchpinTimeoutError'
}

/**
 * Whether a caught value is a {@link LinchpinError}, with this code if one is given:
 * `if (isLinchpinError(error, 'needs_reauth')) …`
 */
export function isLinchpinError<Code extends ErrorCode | 'unexpected_response'>(
  error: unknown,
  code?: Code,
): error is LinchpinError & { readonly code: Code } {
  // By name, because an application may load two copies of this package.
  return (
    error instanceof Error &&
    error.name === 'LinchpinError' &&
    (code === undefined || (error as LinchpinError).code === code)
  )
}

/**
 * The {@link LinchpinError} behind an error of a library that has `account(id).fetch`, if there is one: libraries throw errors
 * of their own, with the one of `fetch` inside.
 */
export function findLinchpinError(error: unknown): LinchpinError | undefined {
  if (isLinchpinError(error)) return error
  if (!(error instanceof Error)) return undefined
  // Stripe has it as `detail`.
  const { cause, detail } = error as { cause?: unknown; detail?: unknown }
  return findLinchpinError(cause) ?? findLinchpinError(detail)
}

/** The error that a response stands for. Reads its body. */
export async function readError(response: Response): Promise<LinchpinError> {
  const text = await response.text()
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'))
  const { error, message, errors } = parseObject(text)
  return typeof error === 'string' && typeof message === 'string'
    ? new LinchpinError(message, {
        code: error,
        status,
        errors: (errors ?? {}) as FieldErrors,
        requestId,
        retryAfterMs,
      })
    : createUnexpectedResponse(status, { requestId, retryAfterMs })
}

/** A response that Linchpin does not send, such as the page of a load balancer. */
export function createUnexpectedResponse(
  status: number,
  details: Partial<ErrorDetails> = {},
): LinchpinError {
  const message = `The response with status ${status} is not one of Linchpin. Check the base URL, and what is in front of the service.`
  const { requestId, retryAfterMs } = details
  const code = 'unexpected_response'
  return new LinchpinError(message, { code, status, errors: {}, requestId, retryAfterMs })
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
