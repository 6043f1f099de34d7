import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { AccountStore } from '../../accounts/accounts/account-store.ts'
import { type JsonList, listInParts } from '../../platform/http/list-in-parts.ts'
import {
  buildNextLinkHeader,
  type Pagination,
  PaginationQuery,
  parsePagination,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { TakeTurn } from '../../platform/http/turns.ts'
import type { Link } from './link.ts'
import { LinkAccountsQuery } from './link-params.ts'
import type { LinkStore } from './link-store.ts'
import { LinkResponse, LinkSettings, serializeLink } from './schemas.ts'

export interface ListLinksDeps {
  readonly links: LinkStore
  readonly accounts: AccountStore
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

interface ListLinksQuery {
  readonly workspaceId?: WorkspaceId
  readonly limit?: number
  readonly cursor?: string
  /** Whether the accounts are read. Default: true. */
  readonly accounts?: boolean
}

export const listLinksOperation = defineOperation({
  id: 'listLinks',
  sdk: 'links.list',
  method: 'GET',
  path: '/v1/link',
  tag: 'Links',
  summary: 'List the links of a workspace',
  description:
    'Returns links that are not revoked, oldest first, each with its 100 newest live accounts. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
    ...LinkAccountsQuery,
    ...PaginationQuery,
  }),
  response: listOf(LinkResponse),
  returns: 'The links that are not revoked, oldest first.',
  errors: [],
  handle: async (deps: ListLinksDeps, caller, { query }, reply) => {
    const { json, next } = await listLinks(deps, caller, query)
    if (next)
      reply.header('link', buildNextLinkHeader(deps.baseUrl(), reply.request.originalUrl, next))
    return json
  },
})

/** The links of a workspace that are not revoked, oldest first, each with its newest live accounts (interface: List links), as JSON. */
export async function listLinks(
  deps: ListLinksDeps,
  caller: Caller,
  query: ListLinksQuery,
): Promise<JsonList> {
  const page = parsePagination(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const hasAccounts = query.accounts ?? true
  const source = {
    read: (part: Pagination) => deps.links.list(caller, workspaceId, part),
    positionOf: ({ createdAt, linkId }: Link) => ({ createdAt, id: linkId }),
    serialize: (links: readonly Link[]) =>
      Promise.all(links.map((link) => stringifyLink(deps, caller, link, hasAccounts))),
  }
  return listInParts(source, page, {
    takeTurn: deps.takeTurn,
    reauthenticate: caller.reauthenticate,
    ...(hasAccounts ? { partSize: PART_WITH_ACCOUNTS } : {}),
  })
}

async function stringifyLink(
  { accounts, baseUrl }: ListLinksDeps,
  caller: Caller,
  link: Link,
  hasAccounts: boolean,
): Promise<string> {
  const own = stringify(serializeLink(link, [], baseUrl()))
  if (!hasAccounts) return own
  const { json } = await accounts.readLinkedAccounts(caller, link)
  return `${own.slice(0, -1)},"IntegrationAccount":${json}}`
}

const stringify = createSerializer(LinkSettings)

/** Links whose accounts are read at once, up to 100 of each. */
const PART_WITH_ACCOUNTS = 10
