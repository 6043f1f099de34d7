import { toTimestamp } from '../http/schema.ts'
import type { OAuthAppRow } from '../storage/tables.ts'
import type { IntegrationOAuthApp } from './oauth-app.ts'
import { parseAllowedHosts } from './secret-endpoints.ts'

/** The columns of a response. They do not include the sealed secret. */
export const OAUTH_APP_RESPONSE_COLUMNS = [
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

export type OAuthAppResponseRow = Pick<OAuthAppRow, (typeof OAUTH_APP_RESPONSE_COLUMNS)[number]>

/** Converts a row to the API representation. */
export function serializeOAuthApp(row: OAuthAppResponseRow): IntegrationOAuthApp {
  return {
    integrationOAuthAppId: row.oauth_app_id,
    integrationOAuthAppName: row.name,
    clientId: row.client_id,
    scopes: parseAppScopes(row),
    allowedHosts: parseAllowedHosts(row),
    integrationDefinitionId: row.definition_id,
    workspaceId: row.workspace_id,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

/** Scopes of the app, in addition to those of the spec. */
export function parseAppScopes(row: Pick<OAuthAppRow, 'scopes'>): string[] {
  return JSON.parse(row.scopes) as string[]
}
