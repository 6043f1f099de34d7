import type { Caller } from '../caller/caller.ts'
import { type FindOAuthAppDeps, findOAuthApp } from './find-oauth-app.ts'
import type { IntegrationOAuthApp } from './oauth-app.ts'
import { toOAuthApp } from './oauth-app-answer.ts'

/** One OAuth app, without its secret. @throws ApiError `oauth_app_not_found` */
export async function getOAuthApp(
  deps: FindOAuthAppDeps,
  caller: Caller,
  appId: string,
): Promise<IntegrationOAuthApp> {
  return toOAuthApp(await findOAuthApp(deps, caller, appId))
}
