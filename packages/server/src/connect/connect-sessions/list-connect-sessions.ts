import type { Caller } from '../../access/auth/caller.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { type CursorPosition, paginate, parsePagination } from '../../platform/http/pagination.ts'
import type { GetConnectSessionDeps } from './get-connect-session.ts'
import { type ConnectSessionResponse, serializeConnectSession } from './schemas.ts'

export interface ListConnectSessionsDeps extends GetConnectSessionDeps {
  readonly workspaces: WorkspaceStore
}

interface ListQuery {
  readonly workspaceId?: WorkspaceId
  readonly accountIdentifier?: string
  readonly limit?: number
  readonly cursor?: string
}

/** The connect sessions of a workspace in any state, oldest first (interface: List connect sessions). */
export async function listConnectSessions(
  deps: ListConnectSessionsDeps,
  caller: Caller,
  query: ListQuery,
): Promise<{ sessions: ConnectSessionResponse[]; next: CursorPosition | undefined }> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { connectSessions } = deps
  const found = await connectSessions.list(caller, workspaceId, query.accountIdentifier, page)
  const { items, last } = paginate(found, page)
  const now = deps.now()
  return {
    sessions: items.map((session) => serializeConnectSession(session, now)),
    next: last && { createdAt: last.createdAt, id: last.connectSessionId },
  }
}

const DEFAULT_LIMIT = 100
