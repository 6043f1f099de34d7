import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { ApiError, notFound } from '../errors.ts'
import { type FindOAuthAppDeps, findOAuthApp } from './find-oauth-app.ts'
import type { IntegrationOAuthApp } from './oauth-app.ts'
import { toOAuthApp } from './oauth-app-answer.ts'

export interface DeleteOAuthAppDeps extends FindOAuthAppDeps {
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
  await findOAuthApp(deps, caller, appId)
  // Serializable: an account that is being connected must not slip in between the look and the end.
  const row = await deps.database.transaction(
    async (trx) => {
      if (await deps.oauthApps.isUsed(trx, caller, appId))
        throw new ApiError(
          'oauth_app_in_use',
          'Live accounts were connected with this OAuth app. Delete them first.',
        )
      const removed = await deps.oauthApps.remove(trx, caller, appId)
      if (removed === undefined) throw notFound('oauth_app')
      await recordAudit(trx, caller, deps.now(), {
        action: 'oauth_app.deleted',
        workspaceId: removed.workspace_id,
        subject: appId,
        detail: { definitionId: removed.definition_id },
      })
      return removed
    },
    { serializable: true },
  )
  return toOAuthApp(row)
}
