import { ApiError } from '../../errors.ts'
import { oauthAppSecretRequired, SECRET_REQUIRED } from '../../oauth-apps/secret-endpoints.ts'
import type { Account } from '../account.ts'

/** The grant is revoked or expired: the user must reauthorize. */
export function needsReauth(): ApiError {
  return new ApiError(
    'needs_reauth',
    'The provider no longer accepts this connection. Reconnect the account.',
  )
}

/** The account has not been confirmed yet. */
export function accountPending(): ApiError {
  return new ApiError(
    'account_pending',
    "This account is awaiting confirmation; its credentials can't be used yet.",
  )
}

/** Another request is still refreshing the tokens after the longest wait. The credentials may be valid. */
export function refreshInProgress(): ApiError {
  return new ApiError(
    'renewal_in_progress',
    "Another request is refreshing this account's tokens. Retry in a moment.",
    { headers: { 'retry-after': '2' } },
  )
}

/** The access token has expired and the provider did not issue a new one. */
export function refreshFailed(row: Account, now: number, wasTimeout: boolean): ApiError {
  const seconds = Math.max(1, Math.ceil(((row.refreshAt ?? now) - now) / 1_000))
  if (row.statusReason === SECRET_REQUIRED) return oauthAppSecretRequired()
  const headers = { 'retry-after': String(seconds) }
  if (row.status === 'error')
    return new ApiError(
      'provider_error',
      `The provider refused to refresh the tokens: ${row.statusReason}. Check this account's OAuth app.`,
      { headers },
    )
  return wasTimeout
    ? new ApiError('provider_timeout', 'The provider did not refresh the tokens in time.', {
        headers,
      })
    : new ApiError('provider_error', 'The provider failed to refresh the tokens.', { headers })
}
