import { ApiError } from '../../errors.ts'
import { oauthAppSecretRequired, SECRET_REQUIRED } from '../../oauth-apps/secret-endpoints.ts'
import type { AccountRow } from '../../storage/tables.ts'

/** Only the person can help: the grant is dead. */
export function needsReauth(): ApiError {
  return new ApiError(
    'needs_reauth',
    'The provider does not accept this connection any more. Connect the account again.',
  )
}

/** Nobody has confirmed the account yet. */
export function accountPending(): ApiError {
  return new ApiError(
    'account_pending',
    'This account waits to be confirmed. Its credentials cannot be used before.',
  )
}

/** Another request renews the tokens, longer than one can wait. Says nothing about the credentials. */
export function refreshInProgress(): ApiError {
  return new ApiError(
    'renewal_in_progress',
    'The tokens of this account are being renewed. Try again in a moment.',
    { headers: { 'retry-after': '2' } },
  )
}

/** The access token has ended and the provider gives no new one now. */
export function refreshFailed(row: AccountRow, now: number, wasTimeout: boolean): ApiError {
  const seconds = Math.max(1, Math.ceil(((row.renew_at ?? now) - now) / 1_000))
  if (row.status_reason === SECRET_REQUIRED) return oauthAppSecretRequired()
  const headers = { 'retry-after': String(seconds) }
  if (row.status === 'error')
    return new ApiError(
      'provider_error',
      `The provider refuses to renew the tokens: ${row.status_reason}. Look at the OAuth app of this account.`,
      { headers },
    )
  return wasTimeout
    ? new ApiError('provider_timeout', 'The provider did not renew the tokens in time.', {
        headers,
      })
    : new ApiError('provider_error', 'The provider does not renew the tokens now.', { headers })
}
