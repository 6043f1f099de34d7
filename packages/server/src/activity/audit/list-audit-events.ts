import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { requireAdmin } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { shortenCapabilities } from '../../platform/http/log.ts'
import {
  buildNextPageHeader,
  decodeCursor,
  encodeCursor,
  parseTimes,
  SHORT_PAGE,
  type TakeTurn,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { AuditEvent, serializeAuditEntry } from './audit-entry.ts'
import type { AuditFilter, AuditStore, ReadableChain } from './audit-store.ts'

const text = (description: string, maxLength = 64) =>
  Type.Optional(Type.String({ maxLength, description }))

/** The query parameters that select a chain and a time. */
export const AUDIT_RANGE = {
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the entries.' }),
  ),
  instance: Type.Optional(
    Type.Boolean({
      description:
        'Entries that belong to no workspace, instead. Requires the scope admin of a token that is bound to no workspace.',
    }),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only entries from this time on.' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only entries before this time.' }),
  ),
}

/** The query parameters of List audit events. */
export const ListAuditEventsQuery = StrictObject({
  ...AUDIT_RANGE,
  action: text('Only this action, such as `account.credentials_read`.'),
  actor: text('Only entries of this user.'),
  tokenId: text('Only entries of this access token.'),
  subject: text('Only entries about the resource with this id.'),
  ip: text('Only entries from this address, as it was recorded.'),
  requestId: text('Only entries that this request has caused.', 200),
  outcome: Type.Optional(
    Type.Unsafe<'done' | 'refused'>({
      type: 'string',
      enum: ['done', 'refused'],
      description: 'Only entries with this outcome.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'Maximum number of entries per page. Default: 100.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The cursor of the page, from the `Link` header of the previous one.',
    }),
  ),
})
export type ListAuditEventsQuery = Static<typeof ListAuditEventsQuery>

export interface ReadAuditDeps {
  readonly audit: AuditStore
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
}

/** Entries, newest first. */
export interface AuditPage {
  readonly events: AuditEvent[]
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
}

export const listAuditEventsOperation = defineOperation({
  id: 'listAuditEvents',
  sdk: 'audit.list',
  method: 'GET',
  path: '/v1/audit',
  tag: 'Audit trail',
  summary: 'List the audit trail of a workspace',
  description:
    'Newest first. The `Link` header has the next page, which may be empty. Entries are listed within a second.',
  scope: 'audit:read',
  query: ListAuditEventsQuery,
  response: listOf(AuditEvent),
  returns: 'The entries, newest first.',
  errors: [],
  handle: async (
    deps: ReadAuditDeps & { readonly baseUrl: () => string },
    caller,
    { query },
    reply,
  ) => {
    const { events, next } = await listAuditEvents(deps, caller, query)
    const url = reply.request.originalUrl
    if (next !== undefined)
      reply.header('link', buildNextPageHeader(deps.baseUrl(), url, { cursor: next }))
    return events
  },
})

/**
 * The entries of the audit trail that match, newest first. An entry is listed once it is chained, within a second after its
 * commit. A page of a filter that matches little may be empty, and have a next page.
 *
 * @throws ApiError `workspace_not_accessible`, `insufficient_scope`, `invalid_parameter`
 */
export async function listAuditEvents(
  deps: ReadAuditDeps,
  caller: Caller,
  query: ListAuditEventsQuery,
): Promise<AuditPage> {
  const { limit = 100, action, actor, tokenId, subject, ip, requestId, outcome } = query
  const chain = await selectChain(deps, caller, query)
  const filter = {
    ...parseTimes(query),
    action,
    actor,
    tokenId,
    subject: subject === undefined ? undefined : shortenCapabilities(subject),
    ip,
    requestId,
    outcome,
  }
  const range = await findRange(deps.audit, chain, filter)
  let last = Math.min(range.last, parseCursor(query.cursor))
  const events: AuditEvent[] = []
  // The entries of one subject or request are found by an index.
  const isIndexed = subject !== undefined || requestId !== undefined
  const size = isIndexed ? Number.MAX_SAFE_INTEGER : WINDOW
  for (let count = 0; count < MAX_WINDOWS && last >= range.first; count += 1) {
    if (count > 0 || limit > SHORT_PAGE) await deps.takeTurn()
    const first = Math.max(range.first, last - size + 1)
    const missing = limit - events.length
    const found = await deps.audit.list(chain, { first, last, limit: missing }, filter)
    events.push(...found.map(serializeAuditEntry))
    const lowest = found.length === missing ? found.at(-1)?.sequence : undefined
    last = (lowest ?? first) - 1
    if (lowest !== undefined) break
  }
  return { events, next: last >= range.first ? encodeCursor(last) : undefined }
}

/** Entries that one query reads at most, if it has to read those that do not match, too. */
const WINDOW = 2_000
const MAX_WINDOWS = 3

/**
 * The chain that a request selects. @throws ApiError `workspace_not_accessible`, `insufficient_scope`
 */
export async function selectChain(
  { workspaces }: Pick<ReadAuditDeps, 'workspaces'>,
  caller: Caller,
  { workspaceId, instance = false }: { workspaceId?: WorkspaceId; instance?: boolean },
): Promise<ReadableChain> {
  if (!instance)
    return { access: caller, chainId: await resolveWorkspace(workspaces, caller, workspaceId) }
  requireAdmin(caller)
  return { access: caller, chainId: null }
}

/** The sequence numbers of a time range: contiguous, though entries of concurrent changes may be in another order. */
export async function findRange(
  audit: AuditStore,
  chain: ReadableChain,
  { from, to }: AuditFilter,
): Promise<{ readonly first: number; readonly last: number }> {
  const { oldest, last } = await audit.getRange(chain)
  return {
    first: from === undefined ? oldest : ((await audit.findFirst(chain, from)) ?? last + 1),
    last: to === undefined ? last : ((await audit.findLast(chain, to)) ?? oldest - 1),
  }
}

function parseCursor(cursor: string | undefined): number {
  return cursor === undefined
    ? Number.MAX_SAFE_INTEGER
    : Number(decodeCursor(cursor, /^(\d{1,15})$/)[0])
}
