import { FORWARDED_OPERATIONS } from '../../accounts/proxy/operations.ts'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { OPERATIONS } from '../operations.ts'

/** Any request. */
export const COMMON_CODES: readonly ErrorCode[] = [
  'malformed_request',
  'invalid_parameter',
  'token_missing',
  'token_invalid',
  'insufficient_scope',
  'workspace_not_accessible',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'overloaded',
  'shutting_down',
  'storage_unavailable',
]

/** A request that changes something. */
export const WRITE_CODES: readonly ErrorCode[] = ['concurrent_update', 'storage_full']

/** A request with a body. */
export const BODY_CODES: readonly ErrorCode[] = [
  'malformed_json',
  'validation_failed',
  'body_too_large',
  'unsupported_media_type',
  'too_many_values',
]

/** A request that may have an `Idempotency-Key`. */
export const KEYED_CODES: readonly ErrorCode[] = [
  'idempotency_in_progress',
  'idempotency_key_reused',
]

/** What an operation may answer besides the codes of every request of its kind, by `operationId`. */
export const OPERATION_CODES: Readonly<Record<string, readonly ErrorCode[]>> = Object.fromEntries(
  [...OPERATIONS, ...FORWARDED_OPERATIONS].map(({ id, errors }) => [id, errors]),
)
