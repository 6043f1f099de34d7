import { revokeOrphanedTokens } from '../../accounts/token-refresh/grant/revoke-orphaned-tokens.ts'
import type { Tokens } from '../../oauth/token-response/token-result.ts'
import { loadOAuthClient } from '../../oauth-apps/load-oauth-client.ts'
import type { VerifiedTokens } from '../callback/verify-tokens.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSessionContext } from '../session/session-context.ts'
import { templateValues } from '../start/validate-start-config.ts'

/** What an attempt had got hold of when it was refused. */
export interface PartialResult {
  context?: OAuthSessionContext
  tokens?: Tokens
  verified?: VerifiedTokens
}

/** Revokes what a refused attempt brought, if it brought anything. Throws nothing; takes three seconds at most. */
export async function revokeFailedSession(
  deps: OAuthFlowDeps,
  { context, tokens, verified }: PartialResult,
): Promise<void> {
  if (context === undefined || tokens === undefined) return
  const { session, tenant, app, type, secrets } = context
  const open = async () => ({
    type,
    client: await loadOAuthClient(deps, app),
    tokens: verified ?? tokens,
    values: templateValues(verified?.config ?? { ...tokens.extra, ...secrets.config }, app),
    tenant,
    definitionId: session.definition_id,
    identityId: verified?.identityId ?? null,
  })
  const orphaned = { subject: session.attempt_id, open }
  await revokeOrphanedTokens(deps, orphaned)
}
