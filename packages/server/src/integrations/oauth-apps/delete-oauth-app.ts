import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { OAuthAppId } from './oauth-app.ts'
import { type RequireOAuthAppDeps, requireOAuthApp } from './require-oauth-app.ts'
import { IntegrationOAuthApp, OAuthAppParams } from './schemas.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

export interface DeleteOAuthAppDeps extends RequireOAuthAppDeps {
  readonly now: () => number
}

export const deleteOAuthAppOperation = defineOperation({
  id: 'deleteOAuthApp',
  sdk: 'oauthApps.delete',
  method: 'DELETE',
  path: '/v1/integration_oauth/:integrationOAuthAppId',
  tag: 'OAuth apps',
  summary: 'Delete an OAuth app',
  description:
    'Returns the last state of the app. Fails while live accounts are connected with it.',
  scope: 'apps:write',
  params: OAuthAppParams,
  response: IntegrationOAuthApp,
  returns: 'The last state of the app.',
  errors: ['oauth_app_not_found', 'oauth_app_in_use'],
  audit: 'oauth_app.deleted',
  handle: (deps: DeleteOAuthAppDeps, caller, { params }) =>
    deleteOAuthApp(deps, caller, params.integrationOAuthAppId),
})

/**
 * Permanently deletes an app and its secret, and returns its last state.
 *
 * @throws ApiError `oauth_app_not_found`; `oauth_app_in_use` while live accounts need it to refresh their tokens
 */
export async function deleteOAuthApp(
  deps: DeleteOAuthAppDeps,
  caller: Caller,
  appId: OAuthAppId,
): Promise<IntegrationOAuthApp> {
  await requireOAuthApp(deps, caller, appId)
  // Serializable: no account may be connected between the check and the deletion.
  const app = await deps.database.transaction(
    async (trx) => {
      if (await deps.oauthApps.isInUse(trx, caller, appId))
        throw new ApiError(
          'oauth_app_in_use',
          'Live accounts are connected with this OAuth app. Delete them first.',
        )
      const deleted = await deps.oauthApps.remove(trx, caller, appId)
      if (deleted === undefined) throw notFound('oauth_app')
      await record(trx, caller, deps.now(), {
        action: 'oauth_app.deleted',
        workspaceId: deleted.workspaceId,
        subject: appId,
        detail: { definitionId: deleted.definitionId },
      })
      return deleted
    },
    { serializable: true },
  )
  return serializeOAuthApp(app)
}
