import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError, notFound } from '../errors.ts'
import type { IntegrationOAuthApp } from './oauth-app.ts'
import { type RequireOAuthAppDeps, requireOAuthApp } from './require-oauth-app.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

export interface DeleteOAuthAppDeps extends RequireOAuthAppDeps {
  readonly now: () => number
}

/**
 * Erases an app and its secret for good, and answers it as it was.
 *
 * @throws ApiError `oauth_app_not_found`; `oauth_app_in_use` while live accounts need it to be renewed
 */
export async function deleteOAuthApp(
  deps: DeleteOAuthAppDeps,
  caller: Caller,
  appId: string,
): Promise<IntegrationOAuthApp> {
  await requireOAuthApp(deps, caller, appId)
  // Serializable: an account that is being connected must not slip in between the look and the end.
  const row = await deps.database.transaction(
    async (trx) => {
      if (await deps.oauthApps.isInUse(trx, caller, appId))
        throw new ApiError(
          'oauth_app_in_use',
          'Live accounts were connected with this OAuth app. Delete them first.',
        )
      const deleted = await deps.oauthApps.remove(trx, caller, appId)
      if (deleted === undefined) throw notFound('oauth_app')
      await recordAudit(trx, caller, deps.now(), {
        action: 'oauth_app.deleted',
        workspaceId: deleted.workspace_id,
        subject: appId,
        detail: { definitionId: deleted.definition_id },
      })
      return deleted
    },
    { serializable: true },
  )
  return serializeOAuthApp(row)
}
