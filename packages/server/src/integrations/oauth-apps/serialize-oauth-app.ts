import { toTimestamp } from '../../platform/http/schema.ts'
import type { PublicOAuthApp } from './oauth-app-store.ts'
import type { IntegrationOAuthApp } from './schemas.ts'

/** Converts an app to its API representation. */
export function serializeOAuthApp(app: PublicOAuthApp): IntegrationOAuthApp {
  return {
    integrationOAuthAppId: app.oauthAppId,
    integrationOAuthAppName: app.name,
    clientId: app.clientId,
    scopes: [...app.scopes],
    allowedHosts: [...app.allowedHosts],
    integrationDefinitionId: app.definitionId,
    workspaceId: app.workspaceId,
    createdAt: toTimestamp(app.createdAt),
    updatedAt: toTimestamp(app.updatedAt),
  }
}
