import type { OAuthClient } from '../oauth/token/client-request.ts'
import type { OAuthAppRow } from '../storage/tables.ts'
import type { Vault } from '../vault/vault.ts'
import {
  type SecretEndpointsDeps,
  type SecretOwner,
  type SecretUse,
  secretEndpoints,
} from './secret-endpoints.ts'

export interface LoadOAuthClientDeps extends SecretEndpointsDeps {
  readonly vault: Vault
}

/**
 * The client of an app, its secret opened, which goes to the app's own endpoints only. Read anew each time, so that a rotated
 * secret works at once.
 */
export async function loadOAuthClient(
  deps: LoadOAuthClientDeps,
  app: SecretOwner & Pick<OAuthAppRow, 'client_id' | 'sealed_secret'>,
  secretUse: SecretUse = {},
): Promise<OAuthClient> {
  const { client_id: clientId, sealed_secret: sealed } = app
  if (sealed === null) return { clientId }
  const clientSecret = await deps.vault.openText(clientSecretContext(app), sealed)
  return { clientId, clientSecret, endpoints: secretEndpoints(deps, app, secretUse) }
}

/** Where a sealed client secret belongs: moved elsewhere it does not open. */
export function clientSecretContext(app: Pick<OAuthAppRow, 'oauth_app_id' | 'workspace_id'>) {
  return {
    table: 'oauth_apps',
    column: 'sealed_secret',
    workspaceId: app.workspace_id,
    rowId: app.oauth_app_id,
  }
}
