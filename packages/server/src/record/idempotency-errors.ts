import { ApiError } from '../errors.ts'

/** Another request with the key runs. */
export function createInProgressError(): ApiError {
  return new ApiError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is running. Retry in a moment.',
    { headers: { 'retry-after': '1' } },
  )
}

/** The key belongs to another request. */
export function createKeyReusedError(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  )
}
