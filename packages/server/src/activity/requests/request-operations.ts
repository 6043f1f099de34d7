import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { DefinitionReference } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import { notFound } from '../../platform/errors.ts'
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
  KnownText,
  listOf,
  Nullable,
  OneOf,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type Id, isId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { DebugExchange } from './debug-exchange.ts'
import { findExchange } from './debug-window-store.ts'
import { PROVIDER_OPERATIONS, REQUEST_KINDS } from './request-log.ts'
import type { LoggedRequest, RequestLogStore } from './request-log-store.ts'

const text = (description: string) => Nullable(Type.String({ description }))

const EXAMPLE = {
  requestLogId: 'req_01kahn5s9kf5arr5d1x6z5cq3b',
  workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
  at: '2026-11-22T10:00:00.000Z',
  kind: 'provider',
  operation: 'proxy',
  method: 'GET',
  host: 'api.hubapi.com',
  path: '/crm/v3/objects/contacts',
  status: 401,
  code: null,
  durationMs: 143,
  requestId: 'req-1842',
  integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
  integrationDefinitionId: 'def_01kahn3w1ne2vb7gq4yq1c0m9t',
  tokenId: null,
  userId: null,
  via: null,
  represents: 1,
  hasExchange: false,
}

const LoggedRequestResponse = StrictObject(
  {
    requestLogId: IdOf<Id<'req'>>({ description: 'Identifier of the entry.' }),
    workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
    at: Timestamp('When the request ended; of a streamed response, when its head arrived.'),
    kind: KnownText<LoggedRequest['kind']>(
      REQUEST_KINDS,
      'api: a request to this API; provider: one that Linchpin has sent to a provider.',
    ),
    operation: text(
      `The \`operationId\`; null for an unknown path. Of a provider's: ${PROVIDER_OPERATIONS.join(', ')} (the code of an integration, such as a check, or a token request).`,
    ),
    method: Type.String({ description: 'The HTTP method.' }),
    host: text("The provider's host; null for this API, and if the account was deleted meanwhile."),
    path: text(
      "The route, or the provider's path, in which `•` stands for segments that may be secret or personal. Never a query. Null if the account was deleted meanwhile.",
    ),
    status: Nullable(
      Type.Integer({ description: 'The HTTP status; null if there was no response.' }),
    ),
    code: text('The error code, or why there was no response; null otherwise.'),
    durationMs: Type.Integer({ description: 'How long it took, in milliseconds.' }),
    requestId: text('The request to this API that it is, or that caused it, as in the log.'),
    integrationAccountId: Nullable(IdOf<Id<'acc'>>({ description: 'The account.' })),
    integrationDefinitionId: Nullable(IdOf<Id<'def'>>({ description: 'The tool.' })),
    tokenId: Nullable(IdOf<Id<'tok'>>({ description: 'The access token.' })),
    userId: Nullable(IdOf<Id<'usr'>>({ description: 'The user of the access token.' })),
    via: Nullable(KnownText(['console'], 'console: a person changed something there.')),
    represents: Type.Integer({
      minimum: 1,
      description:
        'How many requests the entry stands for. More than 1: there were too many within a second for an entry each.',
    }),
    hasExchange: Type.Boolean({
      description: 'Whether a debug window has recorded its headers and bodies: see Get a request.',
    }),
  },
  {
    $id: 'LoggedRequest',
    description: 'A request, without its query, headers and body.',
    examples: [EXAMPLE],
  },
)
type LoggedRequestResponse = Static<typeof LoggedRequestResponse>

function serializeRequest(request: LoggedRequest): LoggedRequestResponse {
  const { at, accountId, definitionId, ...others } = request
  return {
    ...others,
    at: toTimestamp(at),
    integrationAccountId: accountId,
    integrationDefinitionId: definitionId,
  }
}

/** The query parameters of List requests. */
export const ListRequestsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the requests.' }),
  ),
  kind: Type.Optional(OneOf(REQUEST_KINDS, 'Only requests to this API, or only to providers.')),
  integrationAccountId: Type.Optional(
    IdOf<Id<'acc'>>({ maxLength: 64, description: 'Only requests for this account.' }),
  ),
  integrationDefinitionId: Type.Optional(
    IdOf<DefinitionReference>({
      maxLength: 64,
      description: 'Only requests for this tool: its id or key.',
    }),
  ),
  requestId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only this request, and those it caused.' }),
  ),
  outcome: Type.Optional(
    OneOf(['succeeded', 'failed'] as const, 'failed: a status of 400 or more, or no response.'),
  ),
  status: Type.Optional(
    OneOf(
      ['2xx', '3xx', '4xx', '5xx'] as const,
      'Only requests with an HTTP status of this class.',
    ),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only requests from this time on.' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only requests before this time.' }),
  ),
  ...PaginationQuery,
})
export type ListRequestsQuery = Static<typeof ListRequestsQuery>

export interface ListRequestsDeps {
  readonly requestLogs: RequestLogStore
  readonly definitions: DefinitionStore
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
}

const listRequestsOperation = defineOperation({
  id: 'listRequests',
  sdk: 'requests.list',
  method: 'GET',
  path: '/v1/request',
  tag: 'Requests',
  summary: 'List requests',
  description:
    'What happened at 14:02? Requests to this API and to providers of the last 7 days, at most 100,000, newest first, a second after they ended. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListRequestsQuery,
  response: listOf(LoggedRequestResponse),
  returns: 'The requests.',
  errors: [],
  handle: async (
    deps: ListRequestsDeps & { readonly baseUrl: () => string },
    caller,
    { query },
    reply,
  ) => toListBody(reply, deps.baseUrl(), await listRequests(deps, caller, query)),
})

/**
 * The requests of a workspace, newest first (interface: List requests), as JSON.
 *
 * @throws ApiError `workspace_not_accessible`, `invalid_parameter`
 */
export async function listRequests(
  deps: ListRequestsDeps,
  caller: Caller,
  query: ListRequestsQuery,
): Promise<JsonList> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const times = parseTimes(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const { integrationDefinitionId: definition, outcome } = query
  const definitionId = definition && (await findDefinitionId(deps, caller, workspaceId, definition))
  if (definition !== undefined && !definitionId) return { json: '[]', next: undefined }
  const filter = {
    ...times,
    kind: query.kind,
    accountId: query.integrationAccountId,
    definitionId: definitionId || undefined,
    requestId: query.requestId,
    statusClass: query.status === undefined ? undefined : Number(query.status[0]),
    isFailure: outcome === undefined ? undefined : outcome === 'failed',
  }
  const source = {
    read: (part: BoundedPage) => deps.requestLogs.list(caller, workspaceId, filter, part),
    positionOf: ({ at, requestLogId }: LoggedRequest) => ({ createdAt: at, id: requestLogId }),
    serialize: (requests: readonly LoggedRequest[]) =>
      requests.map((request) => stringifyRequest(serializeRequest(request))),
  }
  const { takeTurn } = deps
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringifyRequest = createSerializer(LoggedRequestResponse)

const DEFAULT_LIMIT = 100

const RequestDetails = StrictObject(
  {
    ...LoggedRequestResponse.properties,
    exchange: Nullable(DebugExchange),
  },
  {
    $id: 'RequestDetails',
    description:
      'A request, and what a debug window has recorded of it: null if none has, and without the scope `credentials:read`.',
    examples: [
      {
        ...EXAMPLE,
        hasExchange: true,
        exchange: {
          url: 'https://api.hubapi.com/crm/v3/objects/contacts',
          request: {
            headers: [{ name: 'Authorization', value: '[removed]' }],
            body: { text: '', bytes: 0, isCut: false, omitted: null },
          },
          response: {
            headers: [{ name: 'Content-Type', value: 'application/json' }],
            body: { text: '{"status":"error"}', bytes: 18, isCut: false, omitted: null },
          },
          expiresAt: '2026-11-23T10:00:00.000Z',
        },
      },
    ],
  },
)

const getRequestOperation = defineOperation({
  id: 'getRequest',
  sdk: 'requests.get',
  method: 'GET',
  path: '/v1/request/:requestLogId',
  tag: 'Requests',
  summary: 'Get a request',
  description:
    'One entry of List requests. With the scope `credentials:read`, it has the `exchange` that a debug window has recorded of it.',
  scope: 'read',
  params: Type.Object({
    requestLogId: IdOf<Id<'req'>>({ description: 'Identifier of the entry.' }),
  }),
  response: RequestDetails,
  returns: 'The request.',
  errors: ['request_not_found'],
  handle: async (deps: GetRequestDeps, caller, { params: { requestLogId } }) => {
    const request = isId('req', requestLogId)
      ? await deps.requestLogs.find(caller, requestLogId)
      : undefined
    if (request === undefined) throw notFound('request')
    return { ...serializeRequest(request), exchange: await readExchange(deps, caller, request) }
  },
})

export interface GetRequestDeps extends Pick<ListRequestsDeps, 'requestLogs'> {
  readonly database: Pick<Database, 'read'>
  readonly vault: Pick<Vault, 'openText'>
  readonly now: () => number
}

async function readExchange(
  { database, vault, now }: GetRequestDeps,
  caller: Caller,
  request: LoggedRequest,
): Promise<DebugExchange | null> {
  if (!request.hasExchange || !caller.scopes.has('credentials:read')) return null
  const found = await findExchange(database, vault, request, now())
  return found === undefined ? null : { ...found.exchange, expiresAt: toTimestamp(found.expiresAt) }
}

export const REQUEST_OPERATIONS = [listRequestsOperation, getRequestOperation]
