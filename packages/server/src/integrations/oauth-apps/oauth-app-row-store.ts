import { defineRowChecksum, type WithChecksum } from '../../platform/storage/row-checksum.ts'
import type { OAuthAppRow } from '../../platform/storage/tables.ts'
import type { OAuthApp } from './oauth-app.ts'

/** Of what describes an app. Its secret is authenticated, and its state decides nothing. */
export const OAUTH_APP_CHECKSUM = defineRowChecksum({
  ...({ table: 'oauth_apps', key: 'oauth_app_id', storedIn: 'oauth_app_checksums' } as const),
  columns: [
    ...(['oauth_app_id', 'workspace_id', 'definition_id', 'name', 'client_id'] as const),
    ...(['scopes', 'secret_origins', 'allowed_hosts', 'created_at'] as const),
  ],
})

/**
 * The app of a row that was searched by these columns.
 *
 * @throws {StorageError} `corrupt`
 */
export function readOAuthApp(
  row: WithChecksum<OAuthAppRow>,
  searched?: Partial<OAuthAppRow>,
): OAuthApp {
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

/** The row of an app. */
export function toOAuthAppRow(app: OAuthApp): OAuthAppRow {
  return {
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
}
