import { parseOAuthType } from '../../../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  ANY_ENDPOINT,
  type OAuthClient,
} from '../../../../integrations/oauth/token/client-request.ts'
import {
  loadOAuthClient,
  SECRET_REQUIRED,
} from '../../../../integrations/oauth-apps/load-oauth-client.ts'
import type { Account } from '../../account.ts'
import { decryptConfig } from '../../credentials/account-config.ts'
import { type Grant, getConfigString } from '../grant.ts'
import type { RefreshDeps } from '../refresh-deps.ts'

export type LoadGrantDeps = Pick<
  RefreshDeps,
  'database' | 'vault' | 'oauthApps' | 'refreshStore' | 'log' | 'now'
>

/**
 * Decrypts the grant of a live account. Reads the client each time, so that a rotated secret takes effect immediately.
 */
export async function loadGrant(deps: LoadGrantDeps, row: Account): Promise<Grant> {
  const definition = await deps.refreshStore.findDefinition(row)
  if (definition === undefined || row.sealedConfig === null)
    throw new Error(`account ${row.accountId} has no definition or no configuration`)
  const { spec } = definition
  const isRecorded = row.statusReason === SECRET_REQUIRED
  const app =
    row.oauthAppId === null
      ? undefined
      : await deps.oauthApps.findInWorkspace(deps.database.read, row.workspaceId, row.oauthAppId)
  return {
    config: await decryptConfig(deps.vault, row, row.sealedConfig),
    spec,
    bundleSha256: definition.bundleSha256,
    type: parseOAuthType(spec, row.authType),
    app,
    client: app && (await loadOAuthClient(deps, app, { isAudited: isRecorded })),
  }
}

/**
 * Finds the client that may revoke the tokens of an account: the client of its OAuth app, else the client in its own
 * configuration, else the client of the workspace's OAuth app for the definition. A wrong guess is harmless: providers
 * refuse a client to which the tokens were not issued (RFC 7009 section 2.1). Undefined when there is no client or
 * nothing to revoke.
 */
export async function getRevocationClient(
  deps: LoadGrantDeps,
  row: Account,
  { type, client, config }: Grant,
): Promise<OAuthClient | undefined> {
  if (type === undefined) return undefined
  if (client !== undefined) return client
  const clientId = getConfigString(config, 'client_id')
  if (clientId !== undefined)
    return getClientFromConfig(clientId, getConfigString(config, 'client_secret'))
  const { workspaceId, definitionId } = row
  const { read } = deps.database
  const app = await deps.oauthApps.findInWorkspaceByDefinition(read, workspaceId, definitionId)
  return app && loadOAuthClient(deps, app)
}

/** The secret belongs to the account; changes of the endpoints beside it are restricted on update (decision 021). */
function getClientFromConfig(clientId: string, clientSecret: string | undefined): OAuthClient {
  if (clientSecret === undefined) return { clientId }
  return { clientId, clientSecret, endpoints: ANY_ENDPOINT }
}
