/**
 * Every error that the API returns (interface: ApiException; docs/errors.md).
 *
 * `error` is the stable code that clients branch on: codes are added and never change their meaning. `message` is
 * human-readable and may change. `cause` goes to the log only.
 */

/** The class of an error, which tells a client how to react. */
export type ErrorClass =
  | 'INVALID_ARGUMENT'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'FAILED_PRECONDITION'
  | 'RESOURCE_EXHAUSTED'
  | 'UPSTREAM_ERROR'
  | 'UNAVAILABLE'
  | 'INTERNAL'

/** Code → HTTP status and class. A test checks that `docs/errors.md` documents exactly these codes. */
export const ERRORS = {
  malformed_json: [400, 'INVALID_ARGUMENT'],
  malformed_request: [400, 'INVALID_ARGUMENT'],
  validation_failed: [400, 'INVALID_ARGUMENT'],
  invalid_parameter: [400, 'INVALID_ARGUMENT'],
  events_gone: [400, 'FAILED_PRECONDITION'],
  unknown_reference: [400, 'INVALID_ARGUMENT'],
  auth_type_not_allowed: [400, 'FAILED_PRECONDITION'],
  credentials_rejected: [400, 'FAILED_PRECONDITION'],
  source_url_forbidden: [400, 'INVALID_ARGUMENT'],
  source_unreachable: [400, 'INVALID_ARGUMENT'],
  source_too_large: [400, 'INVALID_ARGUMENT'],
  bundle_invalid: [400, 'INVALID_ARGUMENT'],
  link_expired: [400, 'FAILED_PRECONDITION'],
  link_revoked: [400, 'FAILED_PRECONDITION'],
  connect_session_limit: [400, 'FAILED_PRECONDITION'],
  connect_session_ended: [400, 'FAILED_PRECONDITION'],
  link_full: [400, 'FAILED_PRECONDITION'],
  link_identifier_full: [400, 'FAILED_PRECONDITION'],
  oauth_app_missing: [400, 'FAILED_PRECONDITION'],
  webhook_url_forbidden: [400, 'INVALID_ARGUMENT'],
  webhook_endpoint_limit: [400, 'FAILED_PRECONDITION'],
  redirect_url_not_allowed: [400, 'INVALID_ARGUMENT'],
  oauth_confirm_invalid: [400, 'FAILED_PRECONDITION'],
  account_pending: [400, 'FAILED_PRECONDITION'],
  access_denied: [400, 'FAILED_PRECONDITION'],
  oauth_attempt_invalid: [400, 'FAILED_PRECONDITION'],
  oauth_start_revoked: [400, 'FAILED_PRECONDITION'],
  oauth_issuer_mismatch: [400, 'FAILED_PRECONDITION'],
  identity_mismatch: [400, 'FAILED_PRECONDITION'],
  proxy_unavailable: [400, 'FAILED_PRECONDITION'],
  proxy_target_not_allowed: [400, 'INVALID_ARGUMENT'],
  token_missing: [401, 'UNAUTHENTICATED'],
  token_invalid: [401, 'UNAUTHENTICATED'],
  workspace_not_accessible: [403, 'PERMISSION_DENIED'],
  insufficient_scope: [403, 'PERMISSION_DENIED'],
  secret_required: [403, 'PERMISSION_DENIED'],
  event_not_found: [404, 'NOT_FOUND'],
  link_not_found: [404, 'NOT_FOUND'],
  connect_session_not_found: [404, 'NOT_FOUND'],
  integration_definition_not_found: [404, 'NOT_FOUND'],
  integration_account_not_found: [404, 'NOT_FOUND'],
  oauth_app_not_found: [404, 'NOT_FOUND'],
  preview_not_found: [404, 'NOT_FOUND'],
  webhook_endpoint_not_found: [404, 'NOT_FOUND'],
  token_not_found: [404, 'NOT_FOUND'],
  workspace_not_found: [404, 'NOT_FOUND'],
  route_not_found: [404, 'NOT_FOUND'],
  method_not_allowed: [405, 'INVALID_ARGUMENT'],
  request_timeout: [408, 'INVALID_ARGUMENT'],
  already_connected: [409, 'CONFLICT'],
  already_exists: [409, 'CONFLICT'],
  concurrent_update: [409, 'CONFLICT'],
  idempotency_in_progress: [409, 'CONFLICT'],
  definition_in_use: [409, 'CONFLICT'],
  definition_from_catalogue: [409, 'CONFLICT'],
  bundle_changed: [409, 'CONFLICT'],
  nothing_to_roll_back: [409, 'CONFLICT'],
  preview_running: [409, 'CONFLICT'],
  oauth_app_in_use: [409, 'CONFLICT'],
  oauth_app_secret_required: [409, 'CONFLICT'],
  body_too_large: [413, 'INVALID_ARGUMENT'],
  uri_too_long: [414, 'INVALID_ARGUMENT'],
  unsupported_media_type: [415, 'INVALID_ARGUMENT'],
  expectation_failed: [417, 'INVALID_ARGUMENT'],
  idempotency_key_reused: [422, 'INVALID_ARGUMENT'],
  needs_reauth: [424, 'FAILED_PRECONDITION'],
  headers_too_large: [431, 'INVALID_ARGUMENT'],
  internal_error: [500, 'INTERNAL'],
  integration_failed: [502, 'UPSTREAM_ERROR'],
  integration_timeout: [502, 'UPSTREAM_ERROR'],
  integration_limit: [502, 'UPSTREAM_ERROR'],
  integration_bad_output: [502, 'UPSTREAM_ERROR'],
  authorization_request_failed: [502, 'UPSTREAM_ERROR'],
  token_exchange_failed: [502, 'UPSTREAM_ERROR'],
  provider_error: [502, 'UPSTREAM_ERROR'],
  provider_timeout: [504, 'UPSTREAM_ERROR'],
  storage_unavailable: [503, 'UNAVAILABLE'],
  storage_full: [503, 'UNAVAILABLE'],
  egress_unavailable: [503, 'UNAVAILABLE'],
  renewal_in_progress: [503, 'UNAVAILABLE'],
  shutting_down: [503, 'UNAVAILABLE'],
  circuit_open: [503, 'UNAVAILABLE'],
  overloaded: [503, 'UNAVAILABLE'],
  rate_limited: [429, 'RESOURCE_EXHAUSTED'],
} as const satisfies Record<string, readonly [number, ErrorClass]>

/** A stable code of `docs/errors.md`. */
export type ErrorCode = keyof typeof ERRORS

/** One problem with one field. Never contains the value. */
export interface FieldError {
  readonly code: string
  readonly message: string
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

/** The errors of a request with one invalid field. */
export function fieldError(field: string, code: string, message: string): FieldErrors {
  return { [field]: [{ code, message }] }
}

/** The body is well-formed JSON but does not match the schema of the operation. */
export function validationFailed(errors: FieldErrors): ApiError {
  return new ApiError('validation_failed', summarizeErrors('The request body', errors), { errors })
}

/** A query parameter is unknown, repeated or out of bounds. */
export function invalidParameter(errors: FieldErrors): ApiError {
  return new ApiError('invalid_parameter', summarizeErrors('The query', errors), { errors })
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

function summarizeErrors(subject: string, errors: FieldErrors): string {
  const parts = Object.entries(errors).map(([field, fieldErrors]) =>
    field === '' ? fieldErrors[0]?.message : `${field}: ${fieldErrors[0]?.message}`,
  )
  return `${subject} is invalid. ${parts.slice(0, 3).join(' ')}${parts.length > 3 ? ` And ${parts.length - 3} more.` : ''}`
}
