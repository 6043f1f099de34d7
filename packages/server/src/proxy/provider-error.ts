import { CircuitOpenError, type EgressError } from '@linchpin/runner'
import { ApiError } from '../errors.ts'

/** Converts a request without a response to an ApiError. Addresses and causes are only logged. */
export function toProviderError(error: EgressError): ApiError {
  if (error instanceof CircuitOpenError)
    return new ApiError('circuit_open', CIRCUIT_OPEN_MESSAGE, {
      headers: { 'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)) },
      cause: error,
    })
  if (error.code === 'timeout')
    return new ApiError('provider_timeout', 'The provider did not respond in time.', {
      cause: error,
    })
  if (error.code === 'egress_unavailable')
    return new ApiError('egress_unavailable', EGRESS_UNAVAILABLE_MESSAGE, { cause: error })
  return new ApiError(
    'provider_error',
    MESSAGES[error.code] ?? 'The request to the provider failed.',
    {
      cause: error,
    },
  )
}

const CIRCUIT_OPEN_MESSAGE =
  'The provider did not respond to several requests in a row. Requests to it are paused: try again after Retry-After.'

const EGRESS_UNAVAILABLE_MESSAGE =
  'The outgoing network of Linchpin is unavailable. The request was not sent.'

const MESSAGES: Partial<Record<EgressError['code'], string>> = {
  refused: "The provider's address does not exist or is not allowed, or a header is invalid.",
  unreachable: 'The connection to the provider failed.',
  too_large: "The provider's response is larger than 25 MB.",
}
