import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { DefinitionReference } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import {
  type BoundedPage,
  type JsonList,
  listInParts,
  PaginationQuery,
  parsePagination,
  parseTimes,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import {
  IdOf,
  listOf,
  Nullable,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { ATTEMPT_ORIGINS, ATTEMPT_OUTCOMES } from '../../platform/record/attempt.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { AttemptFilter, AttemptId, AttemptStore, ListedAttempt } from './attempt-store.ts'

const text = (description: string) => Nullable(Type.String({ description }))

const AttemptResponse = StrictObject(
  {
    attemptId: IdOf<AttemptId>({ description: 'Identifier of the attempt.' }),
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
    at: Timestamp('When the attempt ended.'),
    integrationDefinitionId: Nullable(
      IdOf<Id<'def'>>({ description: 'The tool; null if the request named none that it may use.' }),
    ),
    integrationDefinitionKey: text('Its key.'),
    integrationDefinitionName: text('Its name.'),
    authType: text('The method.'),
    via: Type.Unsafe<ListedAttempt['via']>({
      type: 'string',
      enum: [...ATTEMPT_ORIGINS],
      description:
        'api: a request to create or check an account; link, connect_session: a page; oauth: POST /v1/oauth.',
    }),
    outcome: Type.Unsafe<ListedAttempt['outcome']>({
      type: 'string',
      enum: [...ATTEMPT_OUTCOMES],
      description:
        'connected; accepted (a check found that the credentials work); failed; cancelled (the person declined); abandoned (no one returned from the sign-in).',
    }),
    code: text('Why it failed, as in the error or the event connect.failed.'),
    providerStatus: Nullable(
      Type.Integer({ description: "The HTTP status of the provider's last response, if known." }),
    ),
    providerRequestId: text(
      "The provider's id of that request, from the headers of its response; its support may ask for it.",
    ),
    requestId: text('The request that ended the attempt, as in the log.'),
    integrationAccountId: Nullable(
      IdOf<Id<'acc'>>({ description: 'The account that was connected or should be reconnected.' }),
    ),
    linkId: Nullable(IdOf<Id<'lnk'>>({ description: 'The link.' })),
    connectSessionId: Nullable(IdOf<Id<'cns'>>({ description: 'The connect session.' })),
    accountIdentifier: text('The accountIdentifier of the attempt.'),
  },
  {
    $id: 'Attempt',
    description: 'An attempt to connect an account, and how it ended.',
    examples: [
      {
        attemptId: 'cna_01kahn5s9kf5arr5d1x6z5cq3b',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        at: '2026-11-22T10:00:00.000Z',
        integrationDefinitionId: 'def_01kahn3w1ne2vb7gq4yq1c0m9t',
        integrationDefinitionKey: 'hubspot',
        integrationDefinitionName: 'HubSpot',
        authType: 'Access Token',
        via: 'link',
        outcome: 'failed',
        code: 'credentials_rejected',
        providerStatus: 401,
        providerRequestId: '9f2b7c1e-6a1d-4f7e-a1a2-0c9d8e7f6a5b',
        requestId: 'req-1842',
        integrationAccountId: null,
        linkId: 'lnk_3f9k2m8q0w7e5r1t6y4z3x9c8v2b7n1m',
        connectSessionId: null,
        accountIdentifier: 'customer-41',
      },
    ],
  },
)
type AttemptResponse = Static<typeof AttemptResponse>

function serializeAttempt(attempt: ListedAttempt): AttemptResponse {
  const { definitionId, definitionKey, definitionName, accountId, at, ...others } = attempt
  return {
    ...others,
    providerRequestId: attempt.providerRequestId ?? null,
    at: toTimestamp(at),
    integrationDefinitionId: definitionId,
    integrationDefinitionKey: definitionKey,
    integrationDefinitionName: definitionName,
    integrationAccountId: accountId,
  }
}

const id = <I extends string>(description: string) =>
  Type.Optional(IdOf<I>({ maxLength: 64, description }))
const time = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description }))

/** Which attempts to list or count. */
const AttemptQuery = {
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
  integrationAccountId: id<Id<'acc'>>('Only attempts that connected or reconnected this account.'),
  outcome: Type.Optional(
    Type.Unsafe<ListedAttempt['outcome']>({
      type: 'string',
      enum: [...ATTEMPT_OUTCOMES],
      description: 'Only attempts that ended like this.',
    }),
  ),
  requestId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only the attempts that this request ended.' }),
  ),
  from: time('Only attempts from this time on.'),
  to: time('Only attempts before this time.'),
} as const

/** The query parameters of List attempts. */
export const ListAttemptsQuery = StrictObject({ ...AttemptQuery, ...PaginationQuery })
export type ListAttemptsQuery = Static<typeof ListAttemptsQuery>

export interface ListAttemptsDeps {
  readonly attempts: AttemptStore
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

const listAttemptsOperation = defineOperation({
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
  handle: async (deps: ListAttemptsDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listAttempts(deps, caller, query)),
})

/**
 * The attempts to connect accounts of a workspace, newest first (interface: List attempts), as JSON.
 *
 * @throws ApiError `workspace_not_accessible`, `invalid_parameter`
 */
export async function listAttempts(
  deps: ListAttemptsDeps,
  caller: Caller,
  query: ListAttemptsQuery,
): Promise<JsonList> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const selection = await selectAttempts(deps, caller, query)
  if (selection === undefined) return { json: '[]', next: undefined }
  const { workspaceId, filter } = selection
  const source = {
    read: (part: BoundedPage) => deps.attempts.list(caller, workspaceId, filter, part),
    positionOf: ({ at, attemptId }: ListedAttempt) => ({ createdAt: at, id: attemptId }),
    serialize: (attempts: readonly ListedAttempt[]) =>
      attempts.map((attempt) => stringifyAttempt(serializeAttempt(attempt))),
  }
  const { takeTurn } = deps
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringifyAttempt = createSerializer(AttemptResponse)

/** The workspace and the filter of a query; undefined if it names a tool that there is not. */
async function selectAttempts(
  deps: ListAttemptsDeps,
  caller: Caller,
  query: CountAttemptsQuery,
): Promise<{ workspaceId: WorkspaceId; filter: AttemptFilter } | undefined> {
  const times = parseTimes(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return undefined
  const { linkId, connectSessionId, accountIdentifier, code, outcome, requestId } = query
  const filter = {
    linkId,
    connectSessionId,
    accountIdentifier,
    code,
    accountId: query.integrationAccountId,
    outcome,
    requestId,
    definitionId: definitionId || undefined,
    ...times,
  }
  return { workspaceId, filter }
}

const DEFAULT_LIMIT = 100
const DEFAULT_LAST = 1_000

/** The query parameters of Count attempts. */
const CountAttemptsQuery = StrictObject({
  ...AttemptQuery,
  last: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Only so many of these attempts, the newest. Default: 1,000.',
    }),
  ),
})
type CountAttemptsQuery = Static<typeof CountAttemptsQuery>

const AttemptCount = StrictObject(
  {
    total: Type.Integer({ minimum: 0, description: 'The attempts that were counted.' }),
    groups: Type.Array(
      StrictObject({
        outcome: AttemptResponse.properties.outcome,
        code: AttemptResponse.properties.code,
        integrationDefinitionId: AttemptResponse.properties.integrationDefinitionId,
        integrationDefinitionName: AttemptResponse.properties.integrationDefinitionName,
        count: Type.Integer({ minimum: 1, description: 'The attempts of the group.' }),
        lastAt: Timestamp('When the last of them ended.'),
      }),
      { description: 'Attempts that ended alike; the largest groups come first.' },
    ),
  },
  {
    $id: 'AttemptCount',
    description: 'How many attempts ended how.',
    examples: [
      {
        total: 7,
        groups: [
          {
            outcome: 'failed',
            code: 'credentials_rejected',
            integrationDefinitionId: 'def_01kahn3w1ne2vb7gq4yq1c0m9t',
            integrationDefinitionName: 'HubSpot',
            count: 7,
            lastAt: '2026-11-22T10:00:00.000Z',
          },
        ],
      },
    ],
  },
)
type AttemptCount = Static<typeof AttemptCount>

const countAttemptsOperation = defineOperation({
  id: 'countAttempts',
  sdk: 'attempts.count',
  method: 'GET',
  path: '/v1/attempt/count',
  tag: 'Attempts',
  summary: 'Count the attempts to connect accounts',
  description:
    'Why do they fail? Counts the newest attempts by outcome, code and tool. The filters are those of List attempts.',
  scope: 'read',
  query: CountAttemptsQuery,
  response: AttemptCount,
  returns: 'The numbers of attempts.',
  errors: [],
  handle: (deps: ListAttemptsDeps, caller, { query }) => countAttempts(deps, caller, query),
})

/** Counts attempts of a workspace (interface: Count attempts). @throws ApiError `workspace_not_accessible`, `invalid_parameter` */
export async function countAttempts(
  deps: ListAttemptsDeps,
  caller: Caller,
  query: CountAttemptsQuery,
): Promise<AttemptCount> {
  const selection = await selectAttempts(deps, caller, query)
  if (selection === undefined) return { total: 0, groups: [] }
  const { workspaceId, filter } = selection
  const { last = DEFAULT_LAST } = query
  const groups = await deps.attempts.count(caller, workspaceId, filter, last)
  return {
    total: groups.reduce((sum, { count }) => sum + count, 0),
    groups: groups
      .toSorted((one, other) => other.count - one.count || other.lastAt - one.lastAt)
      .map(({ outcome, code, definitionId, definitionName, count, lastAt }) => ({
        outcome,
        code,
        integrationDefinitionId: definitionId,
        integrationDefinitionName: definitionName,
        count,
        lastAt: toTimestamp(lastAt),
      })),
  }
}

export const ATTEMPT_OPERATIONS = [listAttemptsOperation, countAttemptsOperation]
