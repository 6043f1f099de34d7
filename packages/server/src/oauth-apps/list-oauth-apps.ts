import type { Caller } from '../auth/caller.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { type CursorPosition, paginate, parsePagination } from '../http/pagination.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import type { IntegrationOAuthApp } from './schemas.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

export interface ListOAuthAppsDeps {
  readonly oauthApps: OAuthAppStore
  readonly workspaces: WorkspaceStore
}

export interface ListOAuthAppsQuery {
  readonly workspaceId?: WorkspaceId
  readonly integrationDefinitionId?: DefinitionId
  readonly limit?: number
  readonly cursor?: string
}

export interface OAuthAppPage {
  readonly apps: IntegrationOAuthApp[]
  /** The last row, if there is another page. */
  readonly next: CursorPosition | undefined
}

/** Lists the OAuth apps of a workspace, oldest first. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listOAuthApps(
  deps: ListOAuthAppsDeps,
  caller: Caller,
  query: ListOAuthAppsQuery,
): Promise<OAuthAppPage> {
  const page = parsePagination(query)
  const filter = {
    workspaceId: await resolveWorkspace(deps.workspaces, caller, query.workspaceId),
    definitionId: query.integrationDefinitionId,
  }
  const rows = await deps.oauthApps.list(caller, filter, page)
  const { items, last } = paginate(rows, page)
  return {
    apps: items.map(serializeOAuthApp),
    next: last && { createdAt: last.createdAt, id: last.oauthAppId },
  }
}
