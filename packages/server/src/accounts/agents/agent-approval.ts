import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { IdOf, Nullable, OneOf, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import {
  bytes,
  defineResource,
  id,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { WorkspaceSealContext } from '../../platform/vault/vault.ts'
import type { AccountId } from '../accounts/account.ts'
import type { AgentSessionId } from './agent-session.ts'

export type AgentApprovalId = Id<'aap'>

/** `used`: the approved request was sent. `expired` is not stored. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'used', 'expired'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** Those that a list can be filtered by. */
export const LISTED_STATUSES = ['pending', 'approved', 'denied', 'used'] as const
export type ListedStatus = (typeof LISTED_STATUSES)[number]

const SAMPLE_TIME = Date.parse('2026-11-28T10:00:00.000Z')

/** The stored fields of an approval, in the order of responses. */
const fields = {
  agentApprovalId: {
    column: 'agent_approval_id',
    type: id<AgentApprovalId>(),
    sample: 'aap_01kahn2s6kf5arr5d1x6z5cq3b',
    response: IdOf<AgentApprovalId>({ description: 'Identifier of the approval. Not secret.' }),
  },
  agentSessionId: {
    column: 'agent_session_id',
    type: id<AgentSessionId>(),
    sample: 'ags_01kahn2s6kf5arr5d1x6z5cq3b',
    response: IdOf<AgentSessionId>({ description: 'The session of the agent that asks.' }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  },
  accountId: {
    column: 'account_id',
    type: id<AccountId>(),
    sample: 'acc_01kahn3v5fe2vb7gq4yq1c0m9t',
    as: 'integrationAccountId',
    response: IdOf<AccountId>({ description: 'The account that the request is for.' }),
  },
  /** HMAC of everything that is approved. */
  requestHash: { column: 'request_hash', type: bytes('hash') },
  method: {
    column: 'method',
    type: text('none'),
    sample: 'POST',
    response: Type.String({ description: 'The method of the request.' }),
  },
  host: {
    column: 'host',
    type: text('none'),
    sample: 'api.example.com',
    response: Type.String({ description: 'The host that it is sent to.' }),
  },
  path: {
    column: 'path',
    type: text('none'),
    sample: '/v2/notes/{}',
    response: Type.String({ description: 'Its path, with `{}` for what may be an identifier.' }),
  },
  sealedRequest: { column: 'sealed_request', type: bytes('sealed') },
  status: {
    column: 'status',
    type: text<ApprovalStatus>('none'),
    sample: 'pending',
    response: OneOf(
      APPROVAL_STATUSES,
      'pending, approved, denied, used (the request was sent) or expired.',
    ),
  },
  /** The ID of the user or member, `customer` or `agent`. */
  decidedBy: {
    column: 'decided_by',
    type: nullable(text('none')),
    response: Nullable(
      Type.String({
        description:
          'The user who decided, `customer`, or `agent` if it was withdrawn; null if it was not decided.',
      }),
    ),
  },
  decidedAt: {
    column: 'decided_at',
    type: nullable(time()),
    response: Nullable(Timestamp('When it was decided; null if it was not.')),
  },
  createdAt: {
    column: 'created_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('When the agent asked.'),
  },
  expiresAt: {
    column: 'expires_at',
    type: time(),
    sample: SAMPLE_TIME + 600_000,
    response: Timestamp('Until when it can be decided and used.'),
  },
} as const

export const AGENT_APPROVAL = defineResource(fields)

/** What an agent asks a person for: to send one request, once. Times are epoch milliseconds. */
export type AgentApproval = ValuesOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    agent_approvals: RowOf<typeof fields>
  }
}

export const AgentApprovalResponse = StrictObject(AGENT_APPROVAL.schemas, {
  $id: 'AgentApproval',
  description: 'What an agent asks a person for: to send one request, once.',
  examples: [AGENT_APPROVAL.example],
})
export type AgentApprovalResponse = Static<typeof AgentApprovalResponse>

/** The request that is approved, as it is stored, sealed: without credentials. */
export const ApprovedRequest = StrictObject(
  {
    url: Type.String({ description: 'Its whole URL.' }),
    headers: Type.Array(
      StrictObject({
        name: Type.String({ description: 'The name.' }),
        value: Type.String({ description: 'The value.' }),
      }),
      {
        description:
          'The headers that the agent chose, without those that do not matter, such as `user-agent`.',
      },
    ),
    body: Nullable(
      Type.String({ description: 'The body as text; null if it is empty or binary.' }),
    ),
    bytes: Type.Integer({ description: 'The length of the body.' }),
    sha256: Nullable(
      Type.String({
        description: 'The SHA-256 of a binary body, in hexadecimal digits; else null.',
      }),
    ),
  },
  { description: 'What is sent once it is approved.' },
)
export type ApprovedRequest = Static<typeof ApprovedRequest>

/** An approval with the request: for those who decide. */
export const AgentApprovalWithRequest = StrictObject(
  { ...AGENT_APPROVAL.schemas, request: ApprovedRequest },
  {
    $id: 'AgentApprovalWithRequest',
    description: 'An approval, and the request that is sent once it is approved.',
    examples: [
      {
        ...AGENT_APPROVAL.example,
        request: {
          url: 'https://api.example.com/v2/notes/41',
          headers: [{ name: 'content-type', value: 'application/json' }],
          body: '{"text":"Call back"}',
          bytes: 20,
          sha256: null,
        },
      },
    ],
  },
)
export type AgentApprovalWithRequest = Static<typeof AgentApprovalWithRequest>

/** The status at `now`. What was sent or denied stays so. */
export function getApprovalStatus(
  { status, expiresAt }: Pick<AgentApproval, 'status' | 'expiresAt'>,
  now: number,
): ApprovalStatus {
  const isOpen = status === 'pending' || status === 'approved'
  return isOpen && expiresAt <= now ? 'expired' : status
}

export function serializeAgentApproval(
  approval: AgentApproval,
  now: number,
): AgentApprovalResponse {
  return AGENT_APPROVAL.serialize({ ...approval, status: getApprovalStatus(approval, now) })
}

/** The context of the sealed request. */
export function createApprovalContext({
  workspaceId,
  agentApprovalId,
}: Pick<AgentApproval, 'workspaceId' | 'agentApprovalId'>): WorkspaceSealContext {
  return {
    table: 'agent_approvals',
    column: 'sealed_request',
    workspaceId,
    rowId: agentApprovalId,
  }
}
