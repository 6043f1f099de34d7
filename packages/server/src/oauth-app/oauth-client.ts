import type { OAuthClient } from '../oauth/token/client-request.ts'
import type { OAuthAppRow } from '../storage/tables.ts'
import type { Vault } from '../vault/vault.ts'

/** The client of an app, its secret opened. Read anew each time, so that a rotated secret works at once. */
export async function openClient(
  vault: Vault,
  app: Pick<OAuthAppRow, 'oauth_app_id' | 'workspace_id' | 'client_id' | 'sealed_secret'>,
): Promise<OAuthClient> {
  const sealed = app.sealed_secret
  return {
    clientId: app.client_id,
    clientSecret: sealed === null ? undefined : await vault.openText(secretPlace(app), sealed),
  }
}

/** Where a sealed client secret belongs: moved elsewhere it does not open. */
export function secretPlace(app: Pick<OAuthAppRow, 'oauth_app_id' | 'workspace_id'>) {
  return {
    table: 'oauth_apps',
    column: 'sealed_secret',
    workspaceId: app.workspace_id,
    rowId: app.oauth_app_id,
  }
}
