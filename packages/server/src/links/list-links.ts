import type { Readable } from 'node:stream'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Caller } from '../auth/caller.ts'
import { joinPages } from '../http/join-pages.ts'
import { type CursorPosition, paginate, parsePagination } from '../http/pagination.ts'
import { createSerializer } from '../http/serializer.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import type { Link } from './link.ts'
import type { LinkStore } from './link-store.ts'
import { LinkSettings, serializeLink } from './schemas.ts'

export interface ListLinksDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly baseUrl: () => string
}

interface ListLinksQuery {
  readonly workspaceId?: WorkspaceId
  readonly limit?: number
  readonly cursor?: string
  /** Whether the accounts are read. Default: true. */
  readonly accounts?: boolean
}

export interface LinkPage {
  readonly json: string | Readable
  readonly next: CursorPosition | undefined
}

/** The links of a workspace that are not revoked, oldest first, each with its newest live accounts (interface: List links), as JSON. */
export async function listLinks(
  deps: ListLinksDeps,
  caller: Caller,
  query: ListLinksQuery,
): Promise<LinkPage> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const found = await deps.links.list(caller, workspaceId, page)
  const { items, last } = paginate(found, page)
  return {
    json: await joinPages(readPages(deps, caller, items, query.accounts ?? true)),
    next: last && { createdAt: last.createdAt, id: last.linkId },
  }
}

async function* readPages(
  deps: ListLinksDeps,
  caller: Caller,
  links: readonly Link[],
  hasAccounts: boolean,
): AsyncGenerator<string[]> {
  for (let start = 0; start < links.length; start += CHUNK)
    yield Promise.all(
      links.slice(start, start + CHUNK).map(async (link) => {
        const own = stringify(serializeLink(link, [], deps.baseUrl()))
        if (!hasAccounts) return own
        const { json } = await deps.accounts.readLinkedAccounts(caller, link)
        return `${own.slice(0, -1)},"IntegrationAccount":${json}}`
      }),
    )
}

const stringify = createSerializer(LinkSettings)

/** Links whose accounts are read at once: other requests run in between. */
const CHUNK = 10
