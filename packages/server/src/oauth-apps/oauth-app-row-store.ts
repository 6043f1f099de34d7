import { defineRowChecksum } from '../storage/row-checksum.ts'
import type { OAuthAppRow } from '../storage/tables.ts'
import type { OAuthApp } from './oauth-app.ts'

/** Of what describes an app. Its secret is authenticated, and its state decides nothing. */
export const OAUTH_APP_CHECKSUM = defineRowChecksum('oauth_apps', 'oauth_app_id', [
  ...(['oauth_app_id', 'workspace_id', 'definition_id', 'name', 'client_id'] as const),
  ...(['scopes', 'secret_origins', 'allowed_hosts', 'created_at'] as const),
])

/**
 * The app of a row that was searched by these columns.
 *
 * @throws {StorageError} `corrupt`
 */
export function readOAuthApp(row: OAuthAppRow, searched?: Partial<OAuthAppRow>): OAuthApp {
  return toOAuthApp(OAUTH_APP_CHECKSUM.verify(row, searched))
}

/** The app of a row, without verifying it. */
export function toOAuthApp(row: OAuthAppRow): OAuthApp {
  return {
    oauthAppId: row.oauth_app_id,
    workspaceId: row.workspace_id,
    definitionId: row.definition_id,
    name: row.name,
    clientId: row.client_id,
    scopes: JSON.parse(row.scopes),
    allowedHosts: JSON.parse(row.allowed_hosts ?? '[]'),
    failingSince: row.failing_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    sealedSecret: row.sealed_secret,
    secretOrigins: JSON.parse(row.secret_origins ?? '[]'),
  }
}

/** The row of a new app, with its checksum. */
export function toOAuthAppRow(app: OAuthApp): OAuthAppRow {
  const row = {
    oauth_app_id: app.oauthAppId,
    workspace_id: app.workspaceId,
    definition_id: app.definitionId,
    name: app.name,
    client_id: app.clientId,
    sealed_secret: app.sealedSecret,
    scopes: JSON.stringify(app.scopes),
    secret_origins: JSON.stringify(app.secretOrigins),
    allowed_hosts: JSON.stringify(app.allowedHosts),
    failing_since: app.failingSince,
    created_at: app.createdAt,
    updated_at: app.updatedAt,
  }
  return { ...row, row_checksum: OAUTH_APP_CHECKSUM.compute(row) }
}
