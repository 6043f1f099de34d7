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

/** The response of the key has a secret, and the request comes from another token than the first. */
export function createSecretWithheldError(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'The response to this Idempotency-Key has a secret, which is repeated only for the token of the first request. Use a new key for a new secret.',
  )
}
