import Type, { type Static } from 'typebox'
import { generateAccessToken } from '../../access/auth/access-token.ts'
import { assertScopeGranted, type Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import {
  assertAccountsExist,
  assertCreatorIsLive,
  type CreateTokenDeps,
  createAccessTokenRecord,
  findParentToken,
  getEarliest,
} from '../../access/tokens/token-operations.ts'
import { assertRules } from '../../access/workspaces/agent-rules.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace } from '../../access/workspaces/workspace-store.ts'
import {
  ApiError,
  fieldError,
  notFound,
  unknownReference,
  validationFailed,
} from '../../platform/errors.ts'
import {
  type BoundedPage,
  type JsonList,
  listInParts,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { isId, newId } from '../../platform/storage/id.ts'
import type { AccountId } from '../accounts/account.ts'
import {
  AGENT_SESSION,
  type AgentSession,
  type AgentSessionId,
  AgentSessionResponse,
  CreateAgentSession,
  MAX_ACCOUNTS,
  NewAgentSession,
  serializeAgentSession,
  toLimits,
} from './agent-session.ts'
import type { AgentSessionStore } from './agent-session-store.ts'
import { createSessionEvent, endAgentSession } from './end-agent-session.ts'

export interface CreateAgentSessionDeps extends CreateTokenDeps {
  readonly agentSessions: AgentSessionStore
  /** The public base URL. */
  readonly baseUrl: () => string
}

const MAX_OPEN = 1_000
const DEFAULT_SECONDS = 3_600
/** All that an agent needs: the accounts themselves, and their proxy. */
export const AGENT_SCOPES = ['read', 'proxy']

const createAgentSessionOperation = defineOperation({
  id: 'createAgentSession',
  sdk: 'agentSessions.create',
  method: 'POST',
  path: '/v1/agent_session',
  tag: 'Agent sessions',
  summary: 'Create an agent session',
  description:
    'Its token lets an agent use some accounts through the proxy, within the rules and limits of the session. The token never shows a credential, and ends with the token that created it. Also requires the scope proxy.',
  scope: 'agents',
  body: CreateAgentSession,
  status: 201,
  response: NewAgentSession,
  returns: 'The session with its token. The token is returned only once.',
  errors: ['unknown_reference', 'agent_session_limit', 'sign_in_not_configured'],
  audit: 'agent_session.created',
  config: { returnsSecret: true },
  handle: (deps: CreateAgentSessionDeps, caller, { body }) =>
    createAgentSession(deps, caller, body),
})

/**
 * Creates an agent session for at most 100 accounts of one workspace (interface: Create agent session). What `select` chooses is
 * decided now.
 *
 * @throws ApiError `insufficient_scope`, `workspace_not_accessible`, `validation_failed`, `unknown_reference`,
 * `agent_session_limit`, `sign_in_not_configured`, `token_invalid`
 */
export async function createAgentSession(
  deps: CreateAgentSessionDeps,
  caller: Caller,
  input: CreateAgentSession,
): Promise<NewAgentSession> {
  assertScopeGranted(caller.scopes, 'proxy')
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  assertRules(input.rules ?? [], 'rules')
  assertNamesAccounts(input)
  await assertPersonCanAnswer(deps, caller, workspaceId, input)
  const now = deps.now()
  const token = generateAccessToken('las_')
  const parentTokenId = await findParentToken(deps, caller)
  const expiresAt = getEarliest(
    now + (input.expiresIn ?? DEFAULT_SECONDS) * 1_000,
    caller.via === 'console' ? null : caller.expiresAt,
  )
  return deps.database.transaction(
    async (trx) => {
      await assertCreatorIsLive(deps, trx, caller)
      await assertBelowLimit(deps, trx, workspaceId, now)
      const accountIds = await resolveAccounts(deps, trx, caller, workspaceId, input)
      const agentToken = createAccessTokenRecord(token, {
        userId: caller.userId,
        workspaceId,
        accountIds,
        parentTokenId,
        name: 'Agent session',
        scopes: AGENT_SCOPES,
        origin: 'agent',
        createdAt: now,
        expiresAt,
      })
      const session = buildSession(input, {
        workspaceId,
        tokenId: agentToken.tokenId,
        now,
        expiresAt,
      })
      await deps.tokens.insert(trx, agentToken)
      await deps.agentSessions.insert(trx, session)
      const agentSession = serializeAgentSession({ ...session, accountIds, revokedAt: null })
      const response = {
        ...agentSession,
        token,
        mcpURL: `${deps.baseUrl()}/mcp/${workspaceId}`,
      }
      await record(trx, caller, now, {
        action: 'agent_session.created',
        workspaceId,
        subject: session.agentSessionId,
        detail: { integrationAccountIds: accountIds, rules: session.rules.length },
        event: createSessionEvent('agent_session.created', agentSession),
        response,
      })
      return response
    },
    { serializable: true },
  )
}

function buildSession(
  { accountIdentifier, rules, limits, approver, mayConnect }: CreateAgentSession,
  {
    workspaceId,
    tokenId,
    now,
    expiresAt,
  }: {
    readonly workspaceId: WorkspaceId
    readonly tokenId: AgentSession['tokenId']
    readonly now: number
    readonly expiresAt: number
  },
) {
  const { callsPerMinute, calls, writes, bytes } = toLimits(limits ?? {})
  return AGENT_SESSION.create({
    agentSessionId: newId('ags', now),
    workspaceId,
    tokenId,
    accountIdentifier: accountIdentifier ?? null,
    rules: rules ?? [],
    approver: approver ?? 'backend',
    mayConnect: mayConnect ?? false,
    callsPerMinute,
    maxCalls: calls,
    maxWrites: writes,
    maxBytes: bytes,
    calls: 0,
    writes: 0,
    minute: 0,
    minuteCalls: 0,
    createdAt: now,
    expiresAt,
  })
}

/** @throws ApiError `validation_failed`: no accounts are named, or in two ways */
function assertNamesAccounts(input: CreateAgentSession): void {
  const { accountIdentifier, integrationAccountIds, select } = input
  if (accountIdentifier == null && integrationAccountIds == null)
    throw validationFailed(
      fieldError(
        'integrationAccountIds',
        'required',
        'Name the accounts: integrationAccountIds, or the accountIdentifier of a customer.',
      ),
    )
  if (select != null && (integrationAccountIds != null || accountIdentifier == null))
    throw validationFailed(
      fieldError(
        'select',
        'conflict',
        'Chooses among the accounts of an accountIdentifier, without integrationAccountIds.',
      ),
    )
}

/** @throws ApiError `validation_failed`, `sign_in_not_configured`: a person is to decide or to connect, whom nothing identifies */
async function assertPersonCanAnswer(
  { workspaces }: CreateAgentSessionDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
  { approver, mayConnect, accountIdentifier }: CreateAgentSession,
): Promise<void> {
  if ((approver == null || approver === 'backend') && mayConnect !== true) return
  if (accountIdentifier == null)
    throw validationFailed(
      fieldError('accountIdentifier', 'required', 'Names the customer who approves or connects.'),
    )
  const workspace = await workspaces.find(caller, workspaceId)
  if (workspace?.settings.agents?.signInURL === undefined)
    throw new ApiError(
      'sign_in_not_configured',
      'The workspace has no agents.signInURL, so that no person can be identified. Set it with Update workspace, or create the session without approver and mayConnect.',
    )
}

/** @throws ApiError `agent_session_limit` */
async function assertBelowLimit(
  { agentSessions }: CreateAgentSessionDeps,
  trx: Transaction,
  workspaceId: WorkspaceId,
  now: number,
): Promise<void> {
  if (await agentSessions.hasAtLeastOpen(trx, workspaceId, MAX_OPEN, now))
    throw new ApiError(
      'agent_session_limit',
      'This workspace has 1,000 open agent sessions. Revoke some, or wait until they expire.',
    )
}

/**
 * The accounts of the session.
 *
 * @throws ApiError `unknown_reference`: an account is deleted, of another workspace, or not one of the customer; `validation_failed`:
 * none is left, or there are more than 100
 */
async function resolveAccounts(
  { agentSessions }: CreateAgentSessionDeps,
  trx: Transaction,
  caller: Caller,
  workspaceId: WorkspaceId,
  { accountIdentifier, integrationAccountIds, select }: CreateAgentSession,
): Promise<AccountId[]> {
  if (integrationAccountIds != null)
    await assertAccountsExist(trx, caller, { workspaceId, accountIds: integrationAccountIds })
  if (accountIdentifier == null) return [...(integrationAccountIds ?? [])]
  const ofCustomer = {
    workspaceId,
    accountIdentifier,
    accountIds: integrationAccountIds ?? undefined,
    definitionIds: select?.integrationDefinitionIds,
    tags: select?.tags ?? {},
  }
  const found = await agentSessions.listAccounts(trx, caller, ofCustomer, MAX_ACCOUNTS + 1)
  if (integrationAccountIds != null) {
    const other = integrationAccountIds.findIndex((accountId) => !found.includes(accountId))
    if (other >= 0) throw unknownReference(`integrationAccountIds.${other}`)
    return [...integrationAccountIds]
  }
  if (found.length > 0 && found.length <= MAX_ACCOUNTS) return found
  throw validationFailed(
    found.length === 0
      ? fieldError('accountIdentifier', 'unknown', 'This customer has no such accounts.')
      : fieldError(
          'select',
          'too_many',
          'These are more than 100 accounts: choose fewer with select or integrationAccountIds.',
        ),
  )
}

const AgentSessionParams = Type.Object({
  agentSessionId: IdOf<AgentSessionId>({ description: 'Identifier of the agent session.' }),
})

type GetAgentSessionDeps = Pick<CreateAgentSessionDeps, 'agentSessions' | 'database'>

const getAgentSessionOperation = defineOperation({
  id: 'getAgentSession',
  sdk: 'agentSessions.get',
  method: 'GET',
  path: '/v1/agent_session/:agentSessionId',
  tag: 'Agent sessions',
  summary: 'Get an agent session',
  description: 'Returns its accounts, rules and limits, and what it has used of them.',
  scope: 'read',
  params: AgentSessionParams,
  response: AgentSessionResponse,
  returns: 'The session.',
  errors: ['agent_session_not_found'],
  handle: async (deps: GetAgentSessionDeps, caller, { params }) =>
    serializeAgentSession(
      await requireAgentSession(deps, deps.database.read, caller, params.agentSessionId),
    ),
})

/** @throws ApiError `agent_session_not_found` */
async function requireAgentSession(
  { agentSessions }: GetAgentSessionDeps,
  db: Parameters<AgentSessionStore['find']>[0],
  caller: Caller,
  agentSessionId: AgentSessionId,
): Promise<AgentSession> {
  const session = isId('ags', agentSessionId)
    ? await agentSessions.find(db, caller, agentSessionId)
    : undefined
  if (session === undefined) throw notFound('agent_session')
  return session
}

const ListAgentSessionsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the sessions.' }),
  ),
  ...PaginationQuery,
})

interface ListAgentSessionsDeps extends CreateAgentSessionDeps {
  readonly takeTurn: TakeTurn
}

const listAgentSessionsOperation = defineOperation({
  id: 'listAgentSessions',
  sdk: 'agentSessions.list',
  method: 'GET',
  path: '/v1/agent_session',
  tag: 'Agent sessions',
  summary: 'List the agent sessions of a workspace',
  description:
    'Newest first, in any state, until they are deleted some time after their end. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListAgentSessionsQuery,
  response: listOf(AgentSessionResponse),
  returns: 'The sessions.',
  errors: [],
  handle: async (deps: ListAgentSessionsDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listAgentSessions(deps, caller, query)),
})

/** The agent sessions of a workspace, newest first (interface: List agent sessions), as JSON. */
async function listAgentSessions(
  { agentSessions, workspaces, takeTurn }: ListAgentSessionsDeps,
  caller: Caller,
  query: Static<typeof ListAgentSessionsQuery>,
): Promise<JsonList> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const workspaceId = await resolveWorkspace(workspaces, caller, query.workspaceId)
  const source = {
    read: (part: BoundedPage) => agentSessions.list(caller, workspaceId, part),
    positionOf: ({ createdAt, agentSessionId }: AgentSession) => ({
      createdAt,
      id: agentSessionId,
    }),
    serialize: (sessions: readonly AgentSession[]) =>
      sessions.map((session) => stringifySession(serializeAgentSession(session))),
  }
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringifySession = createSerializer(AgentSessionResponse)
const DEFAULT_LIMIT = 100

const deleteAgentSessionOperation = defineOperation({
  id: 'deleteAgentSession',
  sdk: 'agentSessions.delete',
  method: 'DELETE',
  path: '/v1/agent_session/:agentSessionId',
  tag: 'Agent sessions',
  summary: 'Revoke an agent session',
  description:
    'The next request of its agent is rejected, on every node. Repeated calls return the same response.',
  scope: 'agents',
  params: AgentSessionParams,
  response: AgentSessionResponse,
  returns: 'The revoked session.',
  errors: ['agent_session_not_found'],
  audit: 'agent_session.revoked',
  handle: (deps: CreateAgentSessionDeps, caller, { params }) =>
    deleteAgentSession(deps, caller, params.agentSessionId),
})

/** Revokes an agent session. @throws ApiError `agent_session_not_found` */
async function deleteAgentSession(
  deps: CreateAgentSessionDeps,
  caller: Caller,
  agentSessionId: AgentSessionId,
): Promise<AgentSessionResponse> {
  const session = await deps.database.transaction(async (trx) => {
    const before = await requireAgentSession(deps, trx, caller, agentSessionId)
    return endAgentSession(deps, trx, caller, caller.userId, before)
  })
  return serializeAgentSession(session)
}

export const AGENT_SESSION_OPERATIONS = [
  createAgentSessionOperation,
  getAgentSessionOperation,
  listAgentSessionsOperation,
  deleteAgentSessionOperation,
]
