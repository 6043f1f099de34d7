import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/resolve-workspace.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { DefinitionReference } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import {
  buildNextLinkHeader,
  type CursorPosition,
  PaginationQuery,
  paginate,
  parsePagination,
} from '../../platform/http/pagination.ts'
import { parseTimes } from '../../platform/http/parse-times.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { AttemptStore } from './attempt-store.ts'
import { AttemptResponse, serializeAttempt } from './schemas.ts'

const id = <I extends string>(description: string) =>
  Type.Optional(IdOf<I>({ maxLength: 64, description }))
const time = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description }))

/** The query parameters of List attempts. */
export const ListAttemptsQuery = StrictObject({
  workspaceId: id<WorkspaceId>('Workspace of the attempts.'),
  linkId: id<Id<'lnk'>>('Only attempts through this link.'),
  connectSessionId: id<Id<'cns'>>('Only attempts in this connect session.'),
  accountIdentifier: Type.Optional(
    Type.String({ maxLength: 255, description: 'Only attempts with this accountIdentifier.' }),
  ),
  integrationDefinitionId: id<DefinitionReference>(
    'Only attempts to connect this tool: its id or key.',
  ),
  code: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only attempts that failed with this code.' }),
  ),
  from: time('Only attempts from this time on.'),
  to: time('Only attempts before this time.'),
  ...PaginationQuery,
})
export type ListAttemptsQuery = Static<typeof ListAttemptsQuery>

export interface ListAttemptsDeps {
  readonly attempts: AttemptStore
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
  readonly baseUrl: () => string
}

export const listAttemptsOperation = defineOperation({
  id: 'listAttempts',
  sdk: 'attempts.list',
  method: 'GET',
  path: '/v1/attempt',
  tag: 'Attempts',
  summary: 'List the attempts to connect accounts',
  description:
    'Why did it fail? Returns successful and failed attempts of the last 30 days, newest first. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListAttemptsQuery,
  response: listOf(AttemptResponse),
  returns: 'The attempts.',
  errors: [],
  handle: async (deps: ListAttemptsDeps, caller, { query }, reply) => {
    const { attempts, next } = await listAttempts(deps, caller, query)
    if (next)
      reply.header('link', buildNextLinkHeader(deps.baseUrl(), reply.request.originalUrl, next))
    return attempts
  },
})

/**
 * The attempts to connect accounts of a workspace, newest first (interface: List attempts).
 *
 * @throws ApiError `workspace_not_accessible`, `invalid_parameter`
 */
export async function listAttempts(
  deps: ListAttemptsDeps,
  caller: Caller,
  query: ListAttemptsQuery,
): Promise<{ attempts: AttemptResponse[]; next: CursorPosition | undefined }> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const times = parseTimes(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return { attempts: [], next: undefined }
  const { linkId, connectSessionId, accountIdentifier, code } = query
  const filter = {
    linkId,
    connectSessionId,
    accountIdentifier,
    code,
    definitionId: definitionId || undefined,
    ...times,
  }
  const found = await deps.attempts.list(caller, workspaceId, filter, page)
  const { items, last } = paginate(found, page)
  return {
    attempts: items.map(serializeAttempt),
    next: last && { createdAt: last.at, id: last.attemptId },
  }
}

const DEFAULT_LIMIT = 100
