import type { AccountStore } from '../accounts/account-store.ts'
import { serializeLinkedAccount } from '../accounts/schemas/account.ts'
import type { Caller } from '../auth/caller.ts'
import { type CursorPosition, paginate, parsePagination } from '../http/pagination.ts'
import { splitIntoChunks } from '../storage/split-into-chunks.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { LinkStore } from './link-store.ts'
import { type LinkResponse, serializeLink } from './schemas.ts'

export interface ListLinksDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly baseUrl: () => string
}

export interface LinkPage {
  readonly links: LinkResponse[]
  readonly next: CursorPosition | undefined
}

/** The links of a workspace that are not revoked, oldest first, with their live accounts (interface: List links). */
export async function listLinks(
  deps: ListLinksDeps,
  caller: Caller,
  query: { readonly workspaceId?: WorkspaceId; readonly limit?: number; readonly cursor?: string },
): Promise<LinkPage> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const found = await deps.links.list(caller, workspaceId, page)
  const { items, last } = paginate(found, page)
  const ids = items.map(({ linkId }) => linkId)
  const accounts = await Promise.all(
    splitIntoChunks(ids).map((batch) => deps.accounts.listOfLinks(caller, workspaceId, batch)),
  )
  const byLink = Map.groupBy(accounts.flat(), (account) => account.linkId)
  return {
    links: items.map((link) =>
      serializeLink(
        link,
        (byLink.get(link.linkId) ?? []).map(serializeLinkedAccount),
        deps.baseUrl(),
      ),
    ),
    next: last && { createdAt: last.createdAt, id: last.linkId },
  }
}
