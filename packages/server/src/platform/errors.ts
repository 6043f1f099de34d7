import { ERRORS, type ErrorCode } from './error-codes.ts'

/**
 * Every error that the API returns (interface: ApiException; docs/errors.md).
 *
 * `error` is the stable code that clients branch on: codes are added and never change their meaning. `message` is
 * human-readable and may change. `cause` goes to the log only.
 */

/** One problem with one field. Never contains the value. */
export interface FieldError {
  readonly code: string
  readonly message: string
  /** A value that the field may have, as the provider knows it. */
  readonly value?: string
}

/** Field path → its problems. */
export type FieldErrors = Readonly<Record<string, readonly FieldError[]>>

/** An error with a stable code. Any other thrown value becomes `internal_error`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly errors: FieldErrors
  /** The HTTP status of the provider's last response, for the list of attempts. */
  readonly providerStatus: number | undefined
  /** The provider's id of the request that it answered with that status. */
  readonly providerRequestId: string | undefined
  /** Response headers of this error, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      errors?: FieldErrors
      cause?: unknown
      headers?: Record<string, string>
      providerStatus?: number | undefined
      providerRequestId?: string | undefined
    } = {},
  ) {
    super(message, { cause: details.cause })
    this.name = 'ApiError'
    this.code = code
    this.errors = details.errors ?? {}
    this.headers = details.headers ?? {}
    this.providerStatus = details.providerStatus
    this.providerRequestId = details.providerRequestId
  }

  get statusCode(): number {
    return ERRORS[this.code][0]
  }
}

/** Maximum number of errors in one response. */
export const MAX_FIELD_ERRORS = 100

/** The errors of a request with one invalid field. */
export function fieldError(field: string, code: string, message: string): FieldErrors {
  return { [field]: [{ code, message }] }
}

/** The body is well-formed JSON but does not match the schema of the operation. `subject`: what else is invalid. */
export function validationFailed(errors: FieldErrors, subject = 'The request body is'): ApiError {
  return new ApiError('validation_failed', summarizeErrors(subject, errors), { errors })
}

/** A query parameter is unknown, repeated or out of bounds. */
export function invalidParameter(errors: FieldErrors): ApiError {
  return new ApiError('invalid_parameter', summarizeErrors('The query is', errors), { errors })
}

/** An id in the body refers to nothing in the caller's scope. Another user's id and an unknown id give the same error. */
export function unknownReference(field: string): ApiError {
  const message = 'No such resource in this workspace.'
  return new ApiError('unknown_reference', `${field}: ${message}`, {
    errors: fieldError(field, 'unknown', message),
  })
}

export function workspaceNotAccessible(): ApiError {
  return new ApiError('workspace_not_accessible', 'This token has no access to that workspace.')
}

export function insufficientScope(scope: string): ApiError {
  return new ApiError(
    'insufficient_scope',
    `This operation requires a token with the scope ${scope}.`,
  )
}

/** The same error for ids that are unknown, malformed or of another user. */
export function notFound(resource: Resource): ApiError {
  const name = resource.replace('_', ' ').replace('oauth', 'OAuth')
  return new ApiError(`${resource}_not_found`, `There is no such ${name}.`)
}

type Resource<Code = ErrorCode> = Code extends `${infer Name}_not_found` ? Name : never

/** No route has this path; also for one that only some data would give it. */
export function routeNotFound(): ApiError {
  return new ApiError('route_not_found', 'There is no route at this path.')
}

function summarizeErrors(subject: string, errors: FieldErrors): string {
  const parts = Object.entries(errors).map(([field, fieldErrors]) =>
    field === '' ? fieldErrors[0]?.message : `${field}: ${fieldErrors[0]?.message}`,
  )
  const moreCount = `${parts.length < MAX_FIELD_ERRORS ? '' : 'at least '}${parts.length - 3}`
  return `${subject} invalid. ${parts.slice(0, 3).join(' ')}${parts.length > 3 ? ` And ${moreCount} more.` : ''}`
}

/** The body is longer than the operation takes. `advice` completes the sentence. */
export function createBodyTooLargeError(
  maxBytes: number,
  {
    advice = '',
    ...details
  }: { advice?: string; cause?: unknown; headers?: Record<string, string> } = {},
): ApiError {
  const kB = maxBytes / 1024
  const limit = kB < 1024 ? `${Math.floor(kB)} kB` : `${Math.floor(kB / 102.4) / 10} MB`
  return new ApiError('body_too_large', `The body is larger than ${limit}${advice}.`, details)
}
