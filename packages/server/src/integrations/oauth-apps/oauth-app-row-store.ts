import type { OAuthAppRow } from '../../platform/storage/tables.ts'
import type { OAuthApp } from './oauth-app.ts'

/** The app of a row. */
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
/** The columns of a change; those of absent fields are undefined. */
export function toChangedColumns(change: Partial<OAuthApp>): Partial<OAuthAppRow> {
  const { name, clientId, sealedSecret, scopes, secretOrigins, allowedHosts, updatedAt } = change
  const columns = {
    name,
    client_id: clientId,
    sealed_secret: sealedSecret,
    scopes: scopes && JSON.stringify(scopes),
    secret_origins: secretOrigins && JSON.stringify(secretOrigins),
    allowed_hosts: allowedHosts && JSON.stringify(allowedHosts),
    updated_at: updatedAt,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
