import { openConfig } from '../../account/config/sealed-config.ts'
import { grantTokens } from '../../account/renewal/grant/abandoned-grant.ts'
import {
  type AbandonedGrant,
  revokeAbandoned,
} from '../../account/renewal/grant/revoke-abandoned.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { templateValues } from '../start/judge-start-config.ts'

/**
 * Revokes what a reconnect that is stored has replaced, when it was another person's: to end the old grant of the same
 * person may end the new one (decision 014). Throws nothing; takes three seconds at most.
 */
export async function abandonReplaced(deps: ConnectDeps, context: AttemptContext): Promise<void> {
  const { account, app, attempt } = context
  // Tokens under another type or of another app are none that this app may revoke.
  if (account?.oauth_app_id !== app.oauth_app_id || account.auth_type !== attempt.auth_type) return
  const left = { subject: account.account_id, open: () => grantBefore(deps, context) }
  await revokeAbandoned(deps, left)
}

async function grantBefore(
  deps: ConnectDeps,
  { account, app, type, attempt, tenant }: AttemptContext,
): Promise<AbandonedGrant | undefined> {
  if (account?.sealed_config == null) return undefined
  const config = await openConfig(deps.vault, account, account.sealed_config)
  return {
    type,
    client: await openClient(deps, app),
    tokens: grantTokens(config),
    values: templateValues(config, app),
    tenant,
    definitionId: attempt.definition_id,
    identityId: account.identity_id,
  }
}
