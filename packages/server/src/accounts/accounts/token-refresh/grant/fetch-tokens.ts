import type { LastExchange, Tenant } from '@linchpin/runner'
import { TemplateError } from '../../../../integrations/oauth/template/template-value.ts'
import { refreshTokens } from '../../../../integrations/oauth/token/token-endpoint.ts'
import type { TokenUnavailableResult } from '../../../../integrations/oauth/token-response/token-result.ts'
import { ApiError } from '../../../../platform/errors.ts'
import {
  CredentialsRejectedError,
  createProviderUnavailableError,
} from '../../verification/run-check.ts'
import { type Grant, getConfigString } from '../grant.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from '../refresh-deps.ts'
import { mergeTokens } from './merge-tokens.ts'

/** A configuration with newly issued tokens. */
export interface FetchedTokens {
  readonly config: Readonly<Record<string, unknown>>
  /** Epoch milliseconds; null when unknown. */
  readonly expiresAt: number | null
}

/**
 * Requests the first access token for a refresh token that is not stored yet, as the client of the OAuth app. Undefined
 * when there is no OAuth type, client or refresh token.
 *
 * @throws ApiError `credentials_rejected`, `egress_unavailable`, `provider_error`, `provider_timeout`
 */
export async function fetchTokens(
  deps: RefreshDeps,
  { type, client, config }: Pick<Grant, 'type' | 'client' | 'config'>,
  tenant: Tenant,
): Promise<FetchedTokens | undefined> {
  const refreshToken = getConfigString(config, 'refresh_token')
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
  if (result.kind === 'unavailable')
    throw createProviderUnavailableError(toLastExchange(result.reason))
  if (result.error === 'invalid_grant') throw rejected('The provider rejected this refresh token.')
  throw new ApiError(
    'provider_error',
    `The provider issued no tokens: ${result.error}. Check this account's OAuth app.`,
  )
}

function toLastExchange(reason: TokenUnavailableResult['reason']): LastExchange {
  return reason === 'timeout' || reason === 'egress_unavailable' ? reason : 'refused'
}

function rejectTemplate(error: unknown): never {
  if (error instanceof TemplateError)
    throw rejected(`The token request can't be filled in: ${error.message}`)
  throw error
}

function rejected(error: string): ApiError {
  return new CredentialsRejectedError({ status: false, error })
}
