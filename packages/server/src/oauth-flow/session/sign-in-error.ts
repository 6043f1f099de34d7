import { ApiError } from '../../errors.ts'
import type { Refused, Unavailable } from '../../oauth/token-response/token-result.ts'

/**
 * What it means for a connection that the provider answered one of our requests with no.
 *
 * @param rejectionCode the code for an answer that is a no, or no answer at all
 */
export function toSignInError(
  result: Refused | Unavailable,
  rejectionCode: 'authorization_request_failed' | 'token_exchange_failed',
): ApiError {
  if (result.kind === 'refused') return signInError(rejectionCode, result.error)
  if (result.reason === 'invalid_response') return signInError(rejectionCode, 'invalid response')
  if (result.reason === 'timeout') return signInError('provider_timeout', 'no answer in time')
  if (result.reason === 'egress_unavailable')
    return signInError('egress_unavailable', 'our network is unavailable')
  return signInError('provider_error', result.reason)
}

/** An end of signing in for a reason that may stand in the log: never with a value in it. */
export function signInError(
  code:
    | 'access_denied'
    | 'authorization_request_failed'
    | 'egress_unavailable'
    | 'oauth_issuer_mismatch'
    | 'provider_error'
    | 'provider_timeout'
    | 'token_exchange_failed',
  reason: string,
): ApiError {
  return new ApiError(code, `Signing in did not end in a connection: ${reason}.`)
}
