import type { Caller } from '../auth/caller.ts'
import type { DefinitionReference } from '../definitions/definition.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { findDefinitionId } from '../definitions/find-definition.ts'
import { type CursorPosition, paginate, parsePagination } from '../http/pagination.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'
import type { IntegrationOAuthApp } from './schemas.ts'
import { serializeOAuthApp } from './serialize-oauth-app.ts'

export interface ListOAuthAppsDeps {
  readonly oauthApps: OAuthAppStore
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
}

export interface ListOAuthAppsQuery {
  readonly workspaceId?: WorkspaceId
  readonly integrationDefinitionId?: DefinitionReference
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
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return { apps: [], next: undefined }
  const filter = { workspaceId, definitionId: definitionId || undefined }
  const rows = await deps.oauthApps.list(caller, filter, page)
  const { items, last } = paginate(rows, page)
  return {
    apps: items.map(serializeOAuthApp),
    next: last && { createdAt: last.createdAt, id: last.oauthAppId },
  }
}
