import { CircuitOpenError, type EgressError } from '@linchpin/runner'
import { ApiError } from '../errors.ts'

/** What a request that got no answer means to a caller. Addresses and reasons go to the log. */
export function toProviderError(error: EgressError): ApiError {
  if (error instanceof CircuitOpenError)
    return new ApiError('circuit_open', CIRCUIT_OPEN_MESSAGE, {
      headers: { 'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)) },
      cause: error,
    })
  if (error.code === 'timeout')
    return new ApiError('provider_timeout', 'The provider did not answer in time.', {
      cause: error,
    })
  if (error.code === 'egress_unavailable')
    return new ApiError('egress_unavailable', EGRESS_UNAVAILABLE_MESSAGE, { cause: error })
  return new ApiError('provider_error', MESSAGES[error.code] ?? 'The provider was not reached.', {
    cause: error,
  })
}

const CIRCUIT_OPEN_MESSAGE =
  'The provider did not answer several requests in a row. Requests to it are paused: try again after Retry-After.'

const EGRESS_UNAVAILABLE_MESSAGE =
  'The outgoing network of Linchpin is unavailable. The request was not sent.'

const MESSAGES: Partial<Record<EgressError['code'], string>> = {
  refused: "The provider's address does not exist or may not be reached, or a header is not valid.",
  unreachable: 'The connection to the provider could not be made or broke off.',
  too_large: "The provider's answer is larger than 25 MB.",
}
