import { TemplateError } from '../../../../integrations/oauth/template/template-value.ts'
import { refreshTokens } from '../../../../integrations/oauth/token/token-endpoint.ts'
import type { TokenResult } from '../../../../integrations/oauth/token-response/token-result.ts'
import { SECRET_REQUIRED } from '../../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../../platform/errors.ts'
import { getRunnerTenant } from '../../credentials/check-params.ts'
import type { AcquiredLease } from '../acquire-lease.ts'
import { type Grant, getConfigString } from '../grant.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from '../refresh-deps.ts'
import { findTokenHost } from './find-token-host.ts'

/** The result of a token request. */
export interface TokenRequestOutcome {
  readonly result: TokenResult | { readonly kind: 'not_sent'; readonly reason: string }
  /** An earlier request may have rotated this refresh token, and its response was lost. */
  readonly isPossiblyReplaced: boolean
}

/**
 * Requests new tokens (RFC 6749 section 6). Retries once, immediately, when the connection broke before the response
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
  if (refreshToken === undefined) return createNotSentOutcome('no_refresh_token')
  const tokenHost = findTokenHost(grant)
  if (!(await lease.update({ refreshSentAt: lease.now(), tokenHost }))) return undefined
  const { providerMs } = deps.refreshTimeouts ?? REFRESH_TIMEOUTS
  const values = { ...config, client_id: client.clientId }
  const tenant = getRunnerTenant(lease.row)
  const send = () =>
    refreshTokens(
      { egressGateway: deps.egressGateway, now: lease.now },
      { type, client, refreshToken, values, tenant, signal: AbortSignal.timeout(providerMs) },
    )
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
