import type { AccountStore } from '../accounts/account-store.ts'
import { serializeLinkedAccount } from '../accounts/schemas/serialize-account.ts'
import type { Caller } from '../auth/caller.ts'
import { type CursorPosition, paginate, parsePagination } from '../http/pagination.ts'
import { chunk } from '../storage/chunk.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { Link } from './link.ts'
import type { LinkStore } from './link-store.ts'
import { serializeLink } from './serialize-link.ts'

export interface ListLinksDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
}

export interface LinkPage {
  readonly links: Link[]
  readonly next: CursorPosition | undefined
}

/** The links of a workspace that are not revoked, oldest first, with their live accounts (interface: List links). */
export async function listLinks(
  deps: ListLinksDeps,
  caller: Caller,
  query: { readonly workspaceId?: string; readonly limit?: number; readonly cursor?: string },
): Promise<LinkPage> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const rows = await deps.links.list(caller, workspaceId, page)
  const { items, last } = paginate(rows, page)
  const ids = items.map((row) => row.link_id)
  const accounts = await Promise.all(
    chunk(ids).map((batch) => deps.accounts.listOfLinks(caller, workspaceId, batch)),
  )
  const byLink = Map.groupBy(accounts.flat(), (account) => account.link_id)
  return {
    links: items.map((row) =>
      serializeLink(row, (byLink.get(row.link_id) ?? []).map(serializeLinkedAccount)),
    ),
    next: last && { createdAt: last.created_at, id: last.link_id },
  }
}
