import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { OAuthAppId } from './oauth-app.ts'
import { type RequireOAuthAppDeps, requireOAuthApp } from './require-oauth-app.ts'
import { IntegrationOAuthApp, OAuthAppParams } from './schemas.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

export const getOAuthAppOperation = defineOperation({
  id: 'getOAuthApp',
  sdk: 'oauthApps.get',
  method: 'GET',
  path: '/v1/integration_oauth/:integrationOAuthAppId',
  tag: 'OAuth apps',
  summary: 'Get an OAuth app',
  description: 'The client secret is never returned.',
  scope: 'read',
  params: OAuthAppParams,
  response: IntegrationOAuthApp,
  returns: 'The OAuth app, without its secret.',
  errors: ['oauth_app_not_found'],
  handle: (deps: RequireOAuthAppDeps, caller, { params }) =>
    getOAuthApp(deps, caller, params.integrationOAuthAppId),
})

/** Returns an OAuth app without its secret. @throws ApiError `oauth_app_not_found` */
export async function getOAuthApp(
  deps: RequireOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<IntegrationOAuthApp> {
  return serializeOAuthApp(await requireOAuthApp(deps, caller, appId))
}
