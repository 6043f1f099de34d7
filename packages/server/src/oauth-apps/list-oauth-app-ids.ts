import type { Caller } from '../auth/caller.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { type ListOAuthAppsDeps, listOAuthApps } from './list-oauth-apps.ts'
import type { OAuthAppSummary } from './schemas.ts'

/** Lists the OAuth apps of a workspace with IDs and names only. @throws ApiError `workspace_not_accessible` */
export async function listOAuthAppIds(
  deps: ListOAuthAppsDeps,
  caller: Caller,
  query: { readonly workspaceId?: WorkspaceId },
): Promise<OAuthAppSummary[]> {
  const { apps } = await listOAuthApps(deps, caller, query)
  return apps.map(
    ({ integrationOAuthAppId, integrationDefinitionId, integrationOAuthAppName }) => ({
      integrationOAuthAppId,
      integrationDefinitionId,
      integrationOAuthAppName,
    }),
  )
}
