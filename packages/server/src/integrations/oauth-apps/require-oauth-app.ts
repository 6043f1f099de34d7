import type { Caller } from '../../access/auth/caller.ts'
import { notFound } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { OAuthApp, OAuthAppId } from './oauth-app.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'

export interface RequireOAuthAppDeps {
  readonly database: Database
  readonly oauthApps: OAuthAppStore
}

/** Returns the row of an OAuth app. @throws ApiError `oauth_app_not_found` */
export async function requireOAuthApp(
  deps: RequireOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<OAuthApp> {
  const row = isId('oap', appId)
    ? await deps.oauthApps.find(deps.database.read, caller, appId)
    : undefined
  if (row === undefined) throw notFound('oauth_app')
  return row
}
