import type { OAuthClient } from '../oauth/token/client-request.ts'
import type { Vault } from '../vault/vault.ts'
import {
  createSecretEndpointPolicy,
  type SecretEndpointSettings,
  type SecretEndpointsDeps,
  type SecretUse,
} from './create-secret-endpoint-policy.ts'
import type { OAuthApp } from './oauth-app.ts'

export interface LoadOAuthClientDeps extends SecretEndpointsDeps {
  readonly vault: Vault
}

/**
 * Loads the client of an app with its secret decrypted, which only the app's own endpoints may receive. Not cached, so
 * that a rotated secret takes effect immediately.
 */
export async function loadOAuthClient(
  deps: LoadOAuthClientDeps,
  app: SecretEndpointSettings & Pick<OAuthApp, 'clientId' | 'sealedSecret'>,
  secretUse: SecretUse = {},
): Promise<OAuthClient> {
  const { clientId, sealedSecret: sealed } = app
  if (sealed === null) return { clientId }
  const clientSecret = await deps.vault.openText(createClientSecretContext(app), sealed)
  return { clientId, clientSecret, endpoints: createSecretEndpointPolicy(deps, app, secretUse) }
}

/** The seal context of a client secret: it cannot be opened in another row. */
export function createClientSecretContext(app: Pick<OAuthApp, 'oauthAppId' | 'workspaceId'>) {
  return {
    table: 'oauth_apps',
    column: 'sealed_secret',
    workspaceId: app.workspaceId,
    rowId: app.oauthAppId,
  }
}
