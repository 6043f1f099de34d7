import { decryptConfig } from '../../../accounts/accounts/credentials/account-config.ts'
import { getGrantTokens } from '../../../accounts/accounts/token-refresh/grant.ts'
import {
  type OrphanedGrant,
  revokeOrphanedTokens,
} from '../../../accounts/accounts/token-refresh/revocation/revoke-orphaned-tokens.ts'
import type { Tokens } from '../../../integrations/oauth/token-response/token-result.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { VerifiedTokens } from '../session/oauth-session.ts'
import { getTemplateValues, type OAuthSessionContext } from '../session/session-context.ts'

/** What a session had obtained when it failed. */
export interface PartialResult {
  context?: OAuthSessionContext
  tokens?: Tokens
  verified?: VerifiedTokens
}

/** Revokes the tokens that a failed session obtained, if any. Never throws; takes at most three seconds. */
export async function revokeFailedSession(
  deps: OAuthFlowDeps,
  { context, tokens, verified }: PartialResult,
): Promise<void> {
  const obtained = verified ?? tokens
  if (context === undefined || obtained === undefined) return
  const { session, tenant, app, type, secrets } = context
  const open = async () => ({
    type,
    client: await loadOAuthClient(deps, app),
    tokens: obtained,
    values: getTemplateValues(verified?.config ?? { ...tokens?.extra, ...secrets.config }, app),
    tenant,
    definitionId: session.definitionId,
    identityId: verified?.identityId ?? null,
  })
  const orphaned = { subject: session.sessionId, open }
  await revokeOrphanedTokens(deps, orphaned)
}

/**
 * Revokes the tokens that a stored reconnect has replaced, if they belong to a different provider user: revoking the
 * old grant of the same user may end the new one (decision 014). Never throws; takes at most three seconds.
 */
export async function revokeReplacedGrant(
  deps: OAuthFlowDeps,
  context: OAuthSessionContext,
): Promise<void> {
  const { account, app, session } = context
  // This app cannot revoke tokens of another app or another auth type.
  if (account?.oauthAppId !== app.oauthAppId || account.authType !== session.authType) return
  const orphaned = { subject: account.accountId, open: () => loadReplacedGrant(deps, context) }
  await revokeOrphanedTokens(deps, orphaned)
}

async function loadReplacedGrant(
  deps: OAuthFlowDeps,
  { account, app, type, session, tenant }: OAuthSessionContext,
): Promise<OrphanedGrant | undefined> {
  if (account?.sealedConfig == null) return undefined
  const config = await decryptConfig(deps.vault, account, account.sealedConfig)
  return {
    type,
    client: await loadOAuthClient(deps, app),
    tokens: getGrantTokens(config),
    values: getTemplateValues(config, app),
    tenant,
    definitionId: session.definitionId,
    identityId: account.identityId,
  }
}
