import type { Caller } from '../../access/auth/caller.ts'
import type { OAuthAppId } from './oauth-app.ts'
import { type RequireOAuthAppDeps, requireOAuthApp } from './require-oauth-app.ts'
import type { IntegrationOAuthApp } from './schemas.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

/** Returns an OAuth app without its secret. @throws ApiError `oauth_app_not_found` */
export async function getOAuthApp(
  deps: RequireOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<IntegrationOAuthApp> {
  return serializeOAuthApp(await requireOAuthApp(deps, caller, appId))
}
