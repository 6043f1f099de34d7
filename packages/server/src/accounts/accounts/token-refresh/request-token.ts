import type { LastExchange, Tenant } from '@linchpin/runner'
import { TemplateError } from '../../../integrations/oauth/template.ts'
import { exchangeToken, refreshTokens } from '../../../integrations/oauth/token/token-endpoint.ts'
import {
  listRefreshableNested,
  type TokenResult,
  type TokenUnavailableResult,
  toNestedFields,
} from '../../../integrations/oauth/token-response/token-result.ts'
import { SECRET_REQUIRED } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../platform/errors.ts'
import { createEncryptionContext, getRunnerTenant } from '../credentials/account-config.ts'
import {
  CredentialsRejectedError,
  createProviderUnavailableError,
} from '../verification/run-check.ts'
import type { AcquiredLease } from './acquire-lease.ts'
import {
  findTokenHost,
  type Grant,
  getConfigString,
  getRefreshedWith,
  mergeTokens,
} from './grant.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from './refresh-deps.ts'

/** The result of a token request. */
export interface TokenRequestOutcome {
  readonly result: TokenResult | { readonly kind: 'not_sent'; readonly reason: string }
  /** An earlier request may have rotated this refresh token, and its response was lost. */
  readonly isPossiblyReplaced: boolean
}

/**
 * Requests new tokens (RFC 6749 section 6), or exchanges an access token that has no refresh token. Retries once, immediately, when the connection broke before the response
 * arrived, because providers accept a rotated token only for a short grace period. Commits `refreshSentAt` before it
 * sends. Undefined when the lease is lost or expires too soon.
 */
export async function requestToken(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
): Promise<TokenRequestOutcome | undefined> {
  let isPossiblyReplaced = lease.row.refreshSentAt !== null
  const createNotSentOutcome = (reason: string): TokenRequestOutcome => ({
    result: { kind: 'not_sent', reason },
    isPossiblyReplaced,
  })
  const { type, client, config } = grant
  const refreshToken = getConfigString(config, 'refresh_token')
  if (client === undefined) return createNotSentOutcome('oauth_app_missing')
  if (type === undefined) return createNotSentOutcome('auth_type_missing')
  const { exchanges } = type
  if (getRefreshedWith(config, type) === undefined) return createNotSentOutcome('no_refresh_token')
  const tokenHost = findTokenHost(grant)
  if (!(await lease.update({ refreshSentAt: lease.now(), tokenHost }))) return undefined
  const { providerMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const values = { ...config, client_id: client.clientId }
  const tenant = getRunnerTenant(lease.row)
  const send = () => {
    const requestDeps = { egressGateway: deps.egressGateway, now: lease.now }
    const request = { type, client, values, tenant, signal: AbortSignal.timeout(providerMs) }
    return refreshToken === undefined && exchanges !== undefined
      ? exchangeToken(requestDeps, { ...request, exchange: exchanges.next })
      : refreshTokens(requestDeps, { ...request, refreshToken: refreshToken ?? '' })
  }
  try {
    if (!lease.maySend()) return undefined
    const first = await send()
    if (!isConnectionBroken(first))
      return { result: first, isPossiblyReplaced: isPossiblyReplaced || isResponseLost(first) }
    isPossiblyReplaced = true
    return { result: lease.maySend() ? await send() : first, isPossiblyReplaced }
  } catch (error) {
    if (error instanceof TemplateError) return createNotSentOutcome('invalid_config')
    // Nothing was sent, so the refresh token is unaffected.
    if (error instanceof ApiError && error.code === SECRET_REQUIRED)
      return createNotSentOutcome(SECRET_REQUIRED)
    throw error
  }
}

/** Not if its refresh token has arrived: the old one must not be sent again. */
function isResponseLost(result: TokenResult): boolean {
  return result.kind === 'unavailable' && result.replyMayBeLost && result.rotatedToken === undefined
}

/** False after a timeout or a 5xx response: the provider then needs time rather than another request. */
function isConnectionBroken(result: TokenResult): boolean {
  return (
    isResponseLost(result) && result.kind === 'unavailable' && CONNECTION_ERRORS.has(result.reason)
  )
}

const CONNECTION_ERRORS: ReadonlySet<string> = new Set(['unreachable', 'invalid_response'])

/** The grant with its newest further tokens, and the result that ended the refresh before the main token was requested. */
export interface NestedRefresh {
  readonly grant: Grant
  readonly failure: TokenRequestOutcome | undefined
}

/**
 * Refreshes the further tokens of a grant, such as that of the person beside that of the app, one after the other and each with
 * its own refresh token. Stores each as soon as it arrives, without a new version: the main token completes the refresh. A failure
 * is that of the whole refresh, because the account has what was granted only with all of its tokens.
 */
export async function refreshNestedTokens(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
): Promise<NestedRefresh> {
  let { config } = grant
  const { type, client } = grant
  if (type === undefined || client === undefined) return { grant, failure: undefined }
  const { providerMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const tenant = getRunnerTenant(lease.row)
  for (const [name, refreshToken] of listRefreshableNested(config)) {
    if (!lease.maySend()) break
    const values = { ...config, client_id: client.clientId }
    const signal = AbortSignal.timeout(providerMs)
    const result = await refreshTokens(
      { egressGateway: deps.egressGateway, now: lease.now },
      { type, client, refreshToken, values, tenant, signal },
    ).catch(ignoreUnsendable)
    // The request for the main token reports it.
    if (result === undefined) break
    const rotatedToken = result.kind === 'unavailable' ? result.rotatedToken : undefined
    if (result.kind === 'tokens')
      config = { ...config, ...toNestedFields({ [name]: result.tokens }) }
    else if (rotatedToken !== undefined)
      config = { ...config, [`${name}.refresh_token`]: rotatedToken }
    if (result.kind === 'tokens' || rotatedToken !== undefined) {
      const context = createEncryptionContext(lease.row)
      await lease.update({ sealedConfig: await deps.vault.seal(context, JSON.stringify(config)) })
    }
    if (result.kind !== 'tokens')
      return { grant: { ...grant, config }, failure: toFailure(result, rotatedToken) }
  }
  return { grant: { ...grant, config }, failure: undefined }
}

/** For a request that cannot be sent with this configuration or client. */
function ignoreUnsendable(error: unknown): undefined {
  const isSecretRequired = error instanceof ApiError && error.code === SECRET_REQUIRED
  if (!isSecretRequired && !(error instanceof TemplateError)) throw error
}

/** The rotated token is stored; it is not the main one. */
function toFailure(
  result: TokenRequestOutcome['result'],
  rotatedToken: string | undefined,
): TokenRequestOutcome {
  if (result.kind !== 'unavailable') return { result, isPossiblyReplaced: false }
  const { rotatedToken: _stored, ...rest } = result
  const isPossiblyReplaced = result.replyMayBeLost && rotatedToken === undefined
  return { result: rest, isPossiblyReplaced }
}

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
