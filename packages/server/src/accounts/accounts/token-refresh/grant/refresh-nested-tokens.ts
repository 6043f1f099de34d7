import { TemplateError } from '../../../../integrations/oauth/template/template-value.ts'
import { refreshTokens } from '../../../../integrations/oauth/token/token-endpoint.ts'
import {
  listRefreshableNested,
  toNestedFields,
} from '../../../../integrations/oauth/token-response/nested-token-fields.ts'
import { SECRET_REQUIRED } from '../../../../integrations/oauth-apps/load-oauth-client.ts'
import { ApiError } from '../../../../platform/errors.ts'
import { createEncryptionContext } from '../../credentials/account-config.ts'
import { getRunnerTenant } from '../../credentials/check-params.ts'
import type { AcquiredLease } from '../acquire-lease.ts'
import type { Grant } from '../grant.ts'
import { REFRESH_TIMEOUTS, type RefreshDeps } from '../refresh-deps.ts'
import type { TokenRequestOutcome } from './request-token.ts'

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
