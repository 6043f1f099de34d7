import type {
  TokenErrorResult,
  TokenUnavailableResult,
} from '../../../integrations/oauth/token-response/token-result.ts'
import { ApiError } from '../../../platform/errors.ts'

/**
 * Converts a failed request to the provider into an error.
 *
 * @param rejectionCode the code for an error response or an invalid response
 */
export function toSignInError(
  result: TokenErrorResult | TokenUnavailableResult,
  rejectionCode: 'authorization_request_failed' | 'token_exchange_failed',
): ApiError {
  if (result.kind === 'refused') return signInError(rejectionCode, result.error)
  if (result.reason === 'invalid_response') return signInError(rejectionCode, 'invalid response')
  if (result.reason === 'timeout') return signInError('provider_timeout', 'no response in time')
  if (result.reason === 'egress_unavailable')
    return signInError('egress_unavailable', "the service's network is unavailable")
  return signInError('provider_error', result.reason)
}

/** Creates an error whose reason is logged: it must not contain values of a configuration or a response. */
export function signInError(
  code:
    | 'access_denied'
    | 'admin_consent_granted'
    | 'authorization_request_failed'
    | 'egress_unavailable'
    | 'oauth_issuer_mismatch'
    | 'provider_error'
    | 'provider_timeout'
    | 'token_exchange_failed',
  reason: string,
): ApiError {
  return new ApiError(code, `The OAuth connection failed: ${reason}.`)
}
