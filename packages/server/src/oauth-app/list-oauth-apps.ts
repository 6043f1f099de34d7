import type { Caller } from '../caller/caller.ts'
import { cutPage, type Position, readPage } from '../http/page.ts'
import { resolveWorkspace } from '../workspace/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspace/workspace-store.ts'
import type { IntegrationOAuthApp } from './oauth-app.ts'
import { toOAuthApp } from './oauth-app-answer.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'

export interface ListOAuthAppsDeps {
  readonly oauthApps: OAuthAppStore
  readonly workspaces: WorkspaceStore
}

export interface ListOAuthAppsQuery {
  readonly workspaceId?: string
  readonly integrationDefinitionId?: string
  readonly limit?: number
  readonly cursor?: string
}

export interface OAuthAppPage {
  readonly apps: IntegrationOAuthApp[]
  /** The last row, when there are more. */
  readonly next: Position | undefined
}

/** The OAuth apps of a workspace, oldest first. @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function listOAuthApps(
  deps: ListOAuthAppsDeps,
  caller: Caller,
  query: ListOAuthAppsQuery,
): Promise<OAuthAppPage> {
  const page = readPage(query)
  const filter = {
    workspaceId: await resolveWorkspace(deps.workspaces, caller, query.workspaceId),
    definitionId: query.integrationDefinitionId,
  }
  const rows = await deps.oauthApps.list(caller, filter, page)
  const { shown, last } = cutPage(rows, page)
  return {
    apps: shown.map(toOAuthApp),
    next: last && { createdAt: last.created_at, id: last.oauth_app_id },
  }
}
