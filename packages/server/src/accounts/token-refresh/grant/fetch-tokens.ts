import type { LastExchange, Tenant } from '@linchpin/runner'
import { ApiError } from '../../../errors.ts'
import { TemplateError } from '../../../oauth/template/template-value.ts'
import { refreshTokens } from '../../../oauth/token/token-endpoint.ts'
import type { Unavailable } from '../../../oauth/token-response/token-result.ts'
import { CredentialsRejectedError } from '../../verification/assert-accepted.ts'
import { providerUnavailableError } from '../../verification/run-check.ts'
import { configString, type Grant } from '../grant.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from '../refresh-deps.ts'
import { mergeTokens } from './merge-tokens.ts'

/** A configuration with tokens that were just issued. */
export interface FetchedTokens {
  readonly config: Readonly<Record<string, unknown>>
  /** Epoch milliseconds; null when unknown. */
  readonly expiresAt: number | null
}

/**
 * Gets the first access token for a refresh token that is not stored yet, as the OAuth app. Undefined: there is nothing
 * to get it with.
 *
 * @throws ApiError `credentials_rejected`, `egress_unavailable`, `provider_error`, `provider_timeout`
 */
export async function fetchTokens(
  deps: RefreshDeps,
  { type, client, config }: Pick<Grant, 'type' | 'client' | 'config'>,
  tenant: Tenant,
): Promise<FetchedTokens | undefined> {
  const refreshToken = configString(config, 'refresh_token')
  if (type === undefined || client === undefined || refreshToken === undefined) return undefined
  const signal = AbortSignal.timeout((deps.refreshTimeouts ?? REFRESH_TIMEOUTS).providerMs)
  const values = { ...config, client_id: client.clientId }
  const request = { type, client, refreshToken, values, tenant, signal }
  const result = await refreshTokens(deps, request).catch(rejectTemplate)
  if (result.kind === 'tokens')
    return {
      config: mergeTokens(config, result.tokens, () => true),
      expiresAt: result.tokens.expiresAt ?? null,
    }
  if (result.kind === 'unavailable') throw providerUnavailableError(toLastExchange(result.reason))
  if (result.error === 'invalid_grant')
    throw rejected('The provider does not accept this refresh token.')
  throw new ApiError(
    'provider_error',
    `The provider gives no tokens: ${result.error}. Look at the OAuth app of this account.`,
  )
}

function toLastExchange(reason: Unavailable['reason']): LastExchange {
  return reason === 'timeout' || reason === 'egress_unavailable' ? reason : 'refused'
}

function rejectTemplate(error: unknown): never {
  if (error instanceof TemplateError) throw rejected('The address of the provider needs more.')
  throw error
}

function rejected(error: string): ApiError {
  return new CredentialsRejectedError({ status: false, error })
}
