import {
  createOAuthAppSecretRequiredError,
  SECRET_REQUIRED,
} from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Account } from '../account.ts'

/** The grant is revoked or expired: the user must reauthorize. */
export function createNeedsReauthError(): ApiError {
  return new ApiError(
    'needs_reauth',
    'The provider no longer accepts this connection. Reconnect the account.',
  )
}

/** The account has not been confirmed yet. */
export function createAccountPendingError(): ApiError {
  return new ApiError(
    'account_pending',
    "This account is awaiting confirmation; its credentials can't be used yet.",
  )
}

/** Another request is still refreshing the tokens after the longest wait. The credentials may be valid. */
export function createRefreshInProgressError(): ApiError {
  return new ApiError(
    'refresh_in_progress',
    "Another request is refreshing this account's tokens. Retry in a moment.",
    { headers: { 'retry-after': '2' } },
  )
}

/** The access token has expired and the provider did not issue a new one. `lastFailure` is undefined for other failures. */
export function createRefreshFailedError(
  account: Account,
  now: number,
  lastFailure: 'timeout' | 'egress_unavailable' | undefined,
): ApiError {
  const seconds = Math.max(1, Math.ceil(((account.refreshAt ?? now) - now) / 1_000))
  if (account.statusReason === SECRET_REQUIRED) return createOAuthAppSecretRequiredError()
  const headers = { 'retry-after': String(seconds) }
  if (account.status === 'error')
    return new ApiError(
      'provider_error',
      `The provider refused to refresh the tokens: ${account.statusReason}. Check this account's OAuth app.`,
      { headers },
    )
  const [code, message] = REFRESH_FAILURES[lastFailure ?? 'other']
  return new ApiError(code, message, { headers })
}

const REFRESH_FAILURES = {
  timeout: ['provider_timeout', 'The provider did not refresh the tokens in time.'],
  egress_unavailable: [
    'egress_unavailable',
    'The tokens could not be refreshed because the outgoing network of Linchpin is unavailable.',
  ],
  other: ['provider_error', 'The provider failed to refresh the tokens.'],
} as const
