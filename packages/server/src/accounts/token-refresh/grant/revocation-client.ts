import { ANY_ENDPOINT, type OAuthClient } from '../../../oauth/token/client-request.ts'
import { loadOAuthClient } from '../../../oauth-apps/load-oauth-client.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { configString, type Grant, type LoadGrantDeps } from './load-grant.ts'

/**
 * The client that may revoke the tokens of an account: that of its OAuth app; without one the client in its own
 * configuration, else that of the workspace's app for the definition. A provider refuses a client that the tokens are
 * not for (RFC 7009 section 2.1), so a wrong guess harms nothing. Undefined: there is none, or nothing to revoke.
 */
export async function revocationClient(
  deps: LoadGrantDeps,
  row: AccountRow,
  { type, client, config }: Grant,
): Promise<OAuthClient | undefined> {
  if (type === undefined) return undefined
  if (client !== undefined) return client
  const clientId = configString(config, 'client_id')
  if (clientId !== undefined)
    return clientFromConfig(clientId, configString(config, 'client_secret'))
  const { workspace_id: workspaceId, definition_id: definitionId } = row
  const { read } = deps.database
  const app = await deps.oauthApps.findInWorkspaceByDefinition(read, workspaceId, definitionId)
  return app && loadOAuthClient(deps, app)
}

/** Its secret is the account's: what may change beside it is restricted where it changes (decision 021). */
function clientFromConfig(clientId: string, clientSecret: string | undefined): OAuthClient {
  if (clientSecret === undefined) return { clientId }
  return { clientId, clientSecret, endpoints: ANY_ENDPOINT }
}
