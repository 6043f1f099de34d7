import { toTimestamp } from '../http/schema.ts'
import type { OAuthAppRow } from '../storage/tables.ts'
import type { IntegrationOAuthApp } from './oauth-app.ts'
import { allowedHosts } from './secret-endpoints.ts'

/** The columns of an answer: the sealed secret is not read where it is not needed. */
export const PUBLIC_COLUMNS = [
  'oauth_app_id',
  'workspace_id',
  'definition_id',
  'name',
  'client_id',
  'scopes',
  'allowed_hosts',
  'created_at',
  'updated_at',
] as const satisfies (keyof OAuthAppRow)[]

export type PublicOAuthAppRow = Pick<OAuthAppRow, (typeof PUBLIC_COLUMNS)[number]>

/** A row on the wire. */
export function toOAuthApp(row: PublicOAuthAppRow): IntegrationOAuthApp {
  return {
    integrationOAuthAppId: row.oauth_app_id,
    integrationOAuthAppName: row.name,
    clientId: row.client_id,
    scopes: appScopes(row),
    allowedHosts: allowedHosts(row),
    integrationDefinitionId: row.definition_id,
    workspaceId: row.workspace_id,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

/** Scopes of the app's own, beyond the spec's. */
export function appScopes(row: Pick<OAuthAppRow, 'scopes'>): string[] {
  return JSON.parse(row.scopes) as string[]
}
