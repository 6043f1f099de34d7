import type { AccountStore } from '../account/account-store.ts'
import { toLinkedAccount } from '../account/wire/account-answer.ts'
import type { Caller } from '../caller/caller.ts'
import { cutPage, type Position, readPage } from '../http/page.ts'
import { valueChunks } from '../storage/value-chunks.ts'
import { resolveWorkspace } from '../workspace/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspace/workspace-store.ts'
import type { Link } from './link.ts'
import { toLink } from './link-answer.ts'
import type { LinkStore } from './link-store.ts'

export interface ListLinksDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
}

export interface LinkPage {
  readonly links: Link[]
  readonly next: Position | undefined
}

/** The links of a workspace that were not revoked, oldest first, with their live accounts. */
export async function listLinks(
  deps: ListLinksDeps,
  caller: Caller,
  query: { readonly workspaceId?: string; readonly limit?: number; readonly cursor?: string },
): Promise<LinkPage> {
  const page = readPage(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const rows = await deps.links.list(caller, workspaceId, page)
  const { shown, last } = cutPage(rows, page)
  const ids = shown.map((row) => row.link_id)
  const accounts = await Promise.all(
    valueChunks(ids).map((some) => deps.accounts.listOfLinks(caller, workspaceId, some)),
  )
  const byLink = Map.groupBy(accounts.flat(), (account) => account.link_id)
  return {
    links: shown.map((row) => toLink(row, (byLink.get(row.link_id) ?? []).map(toLinkedAccount))),
    next: last && { createdAt: last.created_at, id: last.link_id },
  }
}
