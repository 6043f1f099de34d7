import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import {
  type BoundedPage,
  type JsonList,
  listInParts,
  PaginationQuery,
  parsePagination,
  type TakeTurn,
  toListBody,
} from '../../platform/http/pagination.ts'
import { IdOf, listOf, OneOf, StrictObject } from '../../platform/http/schema.ts'
import { createSerializer } from '../../platform/http/serializer.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import {
  type AgentApproval,
  type AgentApprovalId,
  AgentApprovalResponse,
  AgentApprovalWithRequest,
  type ApprovedRequest,
  createApprovalContext,
  LISTED_STATUSES,
  serializeAgentApproval,
} from './agent-approval.ts'
import { type AgentApprovalStore, getOrder } from './agent-approval-store.ts'
import type { AgentSessionStore } from './agent-session-store.ts'

export interface AgentApprovalDeps {
  readonly database: Database
  readonly vault: Pick<Vault, 'openText'>
  readonly workspaces: WorkspaceStore
  readonly agentSessions: Pick<AgentSessionStore, 'find'>
  readonly agentApprovals: AgentApprovalStore
  readonly now: () => number
}

const ListAgentApprovalsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the approvals.' }),
  ),
  status: Type.Optional(OneOf(LISTED_STATUSES, 'Only approvals with this status.')),
  ...PaginationQuery,
})

interface ListAgentApprovalsDeps extends AgentApprovalDeps {
  readonly takeTurn: TakeTurn
  readonly baseUrl: () => string
}

const listAgentApprovalsOperation = defineOperation({
  id: 'listAgentApprovals',
  sdk: 'agentApprovals.list',
  method: 'GET',
  path: '/v1/agent_approval',
  tag: 'Agent sessions',
  summary: 'List what agents ask people for',
  description:
    'Newest first, for a day after they expire; with the status pending or approved, those that end last come first. Paginate with `limit` (default 100) and `cursor`; the `Link` header has the next page.',
  scope: 'read',
  query: ListAgentApprovalsQuery,
  response: listOf(AgentApprovalResponse),
  returns: 'The approvals.',
  errors: [],
  handle: async (deps: ListAgentApprovalsDeps, caller, { query }, reply) =>
    toListBody(reply, deps.baseUrl(), await listAgentApprovals(deps, caller, query)),
})

/** The approvals of a workspace, newest first (interface: List agent approvals), as JSON. */
async function listAgentApprovals(
  { agentApprovals, workspaces, takeTurn, now }: ListAgentApprovalsDeps,
  caller: Caller,
  query: Static<typeof ListAgentApprovalsQuery>,
): Promise<JsonList> {
  const page = { ...parsePagination(query), limit: query.limit ?? DEFAULT_LIMIT }
  const workspaceId = await resolveWorkspace(workspaces, caller, query.workspaceId)
  const filter = { workspaceId, status: query.status, now: now() }
  const source = {
    read: (part: BoundedPage) => agentApprovals.list(caller, filter, part),
    positionOf: (approval: AgentApproval) => ({
      createdAt: approval[getOrder(query.status).field],
      id: approval.agentApprovalId,
    }),
    serialize: (approvals: readonly AgentApproval[]) =>
      approvals.map((approval) => stringifyApproval(serializeAgentApproval(approval, filter.now))),
  }
  return listInParts(source, page, { takeTurn, reauthenticate: caller.reauthenticate })
}

const stringifyApproval = createSerializer(AgentApprovalResponse)
const DEFAULT_LIMIT = 100

const ApprovalParams = Type.Object({
  agentApprovalId: IdOf<AgentApprovalId>({ description: 'Identifier of the approval.' }),
})

const getAgentApprovalOperation = defineOperation({
  id: 'getAgentApproval',
  sdk: 'agentApprovals.get',
  method: 'GET',
  path: '/v1/agent_approval/:agentApprovalId',
  tag: 'Agent sessions',
  summary: 'Get an approval with its request',
  description:
    'Returns all that is sent once it is approved, without the credentials of the account.',
  scope: 'agents:approve',
  params: ApprovalParams,
  response: AgentApprovalWithRequest,
  returns: 'The approval.',
  errors: ['agent_approval_not_found'],
  handle: (deps: AgentApprovalDeps, caller, { params }) =>
    getAgentApproval(deps, caller, params.agentApprovalId),
})

/** An approval with its request. @throws ApiError `agent_approval_not_found` */
async function getAgentApproval(
  deps: AgentApprovalDeps,
  caller: Caller,
  agentApprovalId: AgentApprovalId,
): Promise<AgentApprovalWithRequest> {
  const approval = await requireApproval(deps, deps.database.read, caller, agentApprovalId)
  return {
    ...serializeAgentApproval(approval, deps.now()),
    request: await openApprovedRequest(deps, approval),
  }
}

/** The request of an approval. */
export async function openApprovedRequest(
  { vault }: Pick<AgentApprovalDeps, 'vault'>,
  approval: AgentApproval,
): Promise<ApprovedRequest> {
  const text = await vault.openText(createApprovalContext(approval), approval.sealedRequest)
  return JSON.parse(text) as ApprovedRequest
}

/** @throws ApiError `agent_approval_not_found` */
async function requireApproval(
  { agentApprovals }: Pick<AgentApprovalDeps, 'agentApprovals'>,
  db: Parameters<AgentApprovalStore['find']>[0],
  caller: Caller,
  agentApprovalId: AgentApprovalId,
): Promise<AgentApproval> {
  const approval = isId('aap', agentApprovalId)
    ? await agentApprovals.find(db, caller, agentApprovalId)
    : undefined
  if (approval === undefined) throw notFound('agent_approval')
  return approval
}

const DecideAgentApproval = StrictObject(
  {
    decision: OneOf(['approve', 'deny'] as const, 'approve: the agent can send the request once.'),
  },
  { $id: 'DecideAgentApproval', examples: [{ decision: 'approve' }] },
)
type DecideAgentApproval = Static<typeof DecideAgentApproval>

const decideAgentApprovalOperation = defineOperation({
  id: 'decideAgentApproval',
  sdk: 'agentApprovals.decide',
  method: 'POST',
  path: '/v1/agent_approval/:agentApprovalId',
  tag: 'Agent sessions',
  summary: 'Approve or deny a request of an agent',
  description:
    'For sessions whose `approver` is backend or either. A decision is final; an approved request can be sent once, until `expiresAt`.',
  scope: 'agents:approve',
  params: ApprovalParams,
  body: DecideAgentApproval,
  response: AgentApprovalResponse,
  returns: 'The decided approval.',
  errors: ['agent_approval_not_found', 'agent_approval_decided', 'approver_not_allowed'],
  audit: 'agent.approval_decided',
  handle: (deps: AgentApprovalDeps, caller, { params, body }) =>
    decideAgentApproval(deps, caller, params.agentApprovalId, body),
})

/**
 * Decides on behalf of the product (interface: Decide agent approval).
 *
 * @throws ApiError `agent_approval_not_found`, `agent_approval_decided`, `approver_not_allowed`
 */
async function decideAgentApproval(
  deps: AgentApprovalDeps,
  caller: Caller,
  agentApprovalId: AgentApprovalId,
  { decision }: DecideAgentApproval,
): Promise<AgentApprovalResponse> {
  return deps.database.transaction(async (trx) => {
    const before = await requireApproval(deps, trx, caller, agentApprovalId)
    const session = await deps.agentSessions.find(trx, caller, before.agentSessionId)
    if (session?.approver === 'person')
      throw new ApiError(
        'approver_not_allowed',
        'Only the customer can decide this, on the page of the approval.',
      )
    return settleApproval(deps, trx, caller, {
      approval: before,
      decision,
      decidedBy: caller.personId ?? caller.userId,
      accountIdentifier: session?.accountIdentifier ?? null,
    })
  })
}

interface ApprovalDecision extends DecideAgentApproval {
  readonly approval: AgentApproval
  readonly decidedBy: string
  /** Of the customer. */
  readonly accountIdentifier?: string | null
}

/** Decides an approval, on behalf of the product or of the customer. @throws ApiError `agent_approval_decided` */
export async function settleApproval(
  { agentApprovals, now }: Pick<AgentApprovalDeps, 'agentApprovals' | 'now'>,
  trx: Transaction,
  actor: Parameters<typeof record>[1],
  { approval, decision, decidedBy, accountIdentifier = null }: ApprovalDecision,
): Promise<AgentApprovalResponse> {
  const time = now()
  const { agentApprovalId, agentSessionId, workspaceId } = approval
  const status = decision === 'approve' ? ('approved' as const) : ('denied' as const)
  if (!(await agentApprovals.decide(trx, agentApprovalId, { status, decidedBy }, time)))
    throw new ApiError(
      'agent_approval_decided',
      'This was decided before, or it has expired. Get agent approval says which.',
    )
  const decided = { ...approval, status, decidedBy, decidedAt: time }
  const response = serializeAgentApproval(decided, time)
  await record(trx, actor, time, {
    action: 'agent.approval_decided',
    workspaceId,
    subject: agentApprovalId,
    detail: { decision, agentSessionId },
    event: {
      type: 'agent.approval_decided',
      subject: agentApprovalId,
      accountIdentifier,
      data: { agentApproval: response },
    },
    response,
  })
  return response
}

export const AGENT_APPROVAL_OPERATIONS = [
  listAgentApprovalsOperation,
  getAgentApprovalOperation,
  decideAgentApprovalOperation,
]
