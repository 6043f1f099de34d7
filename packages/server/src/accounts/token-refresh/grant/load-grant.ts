import type { Spec } from '@linchpin/runner'
import { parseOAuthType } from '../../../oauth/spec/parse-oauth-type.ts'
import { ANY_ENDPOINT, type OAuthClient } from '../../../oauth/token/client-request.ts'
import { loadOAuthClient } from '../../../oauth-apps/load-oauth-client.ts'
import { SECRET_REQUIRED } from '../../../oauth-apps/secret-endpoints.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { decryptConfig } from '../../credentials/encrypted-config.ts'
import { configString, type Grant } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'

export type LoadGrantDeps = Pick<
  RefreshDeps,
  'database' | 'vault' | 'oauthApps' | 'refreshStore' | 'log' | 'now'
>

/** Opens the secrets of a live account. The client is read anew each time, so that a rotated secret works at once. */
export async function loadGrant(deps: LoadGrantDeps, row: AccountRow): Promise<Grant> {
  const definition = await deps.refreshStore.findDefinition(row)
  if (definition === undefined || row.sealed_config === null)
    throw new Error(`account ${row.account_id} has no definition or no configuration`)
  const spec = JSON.parse(definition.spec) as Spec
  const isRecorded = row.status_reason === SECRET_REQUIRED
  const app =
    row.oauth_app_id === null
      ? undefined
      : await deps.oauthApps.findInWorkspace(deps.database.read, row.workspace_id, row.oauth_app_id)
  return {
    config: await decryptConfig(deps.vault, row, row.sealed_config),
    spec,
    bundleSha256: definition.bundle_sha256,
    type: parseOAuthType(spec, row.auth_type),
    app,
    client: app && (await loadOAuthClient(deps, app, { isAudited: isRecorded })),
  }
}

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
