import Type, { type Static } from 'typebox'
import { AgentRule, AgentRulesInput, RULES } from '../../access/workspaces/agent-rules.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import {
  IdOf,
  Nullable,
  OneOf,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import {
  added,
  defineResource,
  flag,
  id,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'
import { type AccountId, TagsInput } from '../accounts/account.ts'

export type AgentSessionId = Id<'ags'>

export const MAX_ACCOUNTS = 100

const DEFAULT_LIMITS = {
  callsPerMinute: 60,
  calls: 1_000,
  writes: 50,
  bytes: 65_536,
}

const limit = (minimum: number, maximum: number, description: string) =>
  Type.Integer({
    minimum,
    maximum,
    description,
  })

const AgentLimits = StrictObject(
  {
    callsPerMinute: limit(1, 600, 'Requests in one minute, at most. Default: 60.'),
    calls: limit(1, 1_000_000, 'Requests in all, at most. Default: 1,000.'),
    writes: limit(
      0,
      1_000_000,
      'Requests with other methods than GET and HEAD, at most. Default: 50.',
    ),
    bytes: limit(
      1_024,
      1_000_000,
      'Bytes of the body of a request, and of a response, which is cut, at most. Default: 65,536.',
    ),
  },
  { description: 'The limits of the session.' },
)
export type AgentLimits = Static<typeof AgentLimits>

const AgentLimitsInput = StrictObject(
  {
    callsPerMinute: Type.Optional(AgentLimits.properties.callsPerMinute),
    calls: Type.Optional(AgentLimits.properties.calls),
    writes: Type.Optional(AgentLimits.properties.writes),
    bytes: Type.Optional(AgentLimits.properties.bytes),
  },
  { description: 'The limits of the session.' },
)

/** Limits with their defaults. */
export function toLimits(input: Static<typeof AgentLimitsInput> = {}): AgentLimits {
  return { ...DEFAULT_LIMITS, ...input }
}

const APPROVERS = ['backend', 'person', 'either'] as const
export type Approver = (typeof APPROVERS)[number]
const APPROVER =
  'Who can approve requests: a token with the scope `agents:approve`, the customer on a page after a sign-in at the product, or either of them.'

const MAY_CONNECT =
  'Whether the agent can ask the customer to connect or reconnect an account, on a page after a sign-in at the product.'

const SAMPLE_TIME = Date.parse('2026-11-27T10:00:00.000Z')

/** The stored fields of a session, in the order of responses. What its token has is not stored twice. */
const fields = {
  agentSessionId: {
    column: 'agent_session_id',
    type: id<AgentSessionId>(),
    sample: 'ags_01kahn2s6kf5arr5d1x6z5cq3b',
    response: IdOf<AgentSessionId>({ description: 'Identifier of the agent session. Not secret.' }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  },
  tokenId: { column: 'token_id', type: id<Id<'tok'>>(), sample: 'tok_01kahn2s6kf5arr5d1x6z5cq3b' },
  accountIdentifier: {
    column: 'account_identifier',
    type: nullable(text('deleted')),
    sample: 'customer-41',
    response: Nullable(
      Type.String({ description: 'The customer whose accounts they are; null if none was named.' }),
    ),
  },
  rules: {
    column: 'rules',
    type: json<readonly AgentRule[]>('operator', []),
    sample: [{ effect: 'allow', methods: ['POST'], path: '/crm/v3/objects/notes' }],
    response: Type.Array(AgentRule, { description: RULES }),
  },
  approver: {
    column: 'approver',
    type: added(text<Approver>('none', 'backend')),
    sample: 'backend',
    response: OneOf(APPROVERS, APPROVER),
  },
  mayConnect: {
    column: 'may_connect',
    type: added(flag()),
    sample: false,
    response: Type.Boolean({ description: MAY_CONNECT }),
  },
  clientId: {
    column: 'client_id',
    type: nullable(text('none')),
    response: Nullable(
      Type.String({
        description:
          'The MCP client with which the customer has signed in: its URL, or the ID of its registration. Null if the session has a token.',
      }),
    ),
  },
  clientName: {
    column: 'client_name',
    type: nullable(text('operator')),
    response: Nullable(
      Type.String({ description: 'What this client calls itself, which is not verified.' }),
    ),
  },
  callsPerMinute: { column: 'calls_per_minute', type: integer(), sample: 60 },
  maxCalls: { column: 'max_calls', type: integer(), sample: 1_000 },
  maxWrites: { column: 'max_writes', type: integer(), sample: 50 },
  maxBytes: { column: 'max_bytes', type: integer(), sample: 65_536 },
  calls: { column: 'calls', type: integer() },
  writes: { column: 'writes', type: integer() },
  /** The minute since 1970 in which the last request was, and how many were in it. */
  minute: { column: 'minute', type: integer() },
  minuteCalls: { column: 'minute_calls', type: integer() },
  createdAt: {
    column: 'created_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('Creation time.'),
  },
  expiresAt: {
    column: 'expires_at',
    type: time(),
    sample: SAMPLE_TIME + 3_600_000,
    response: Timestamp('Until when the session can be used.'),
  },
} as const

export const AGENT_SESSION = defineResource(fields)

/** What an agent may do with accounts, for how long and how often. Times are epoch milliseconds. */
export type StoredAgentSession = ValuesOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    agent_sessions: RowOf<typeof fields>
  }
}

/** A session with what its token says: its accounts, and when it was revoked, with the token that created it or alone. */
export interface AgentSession extends StoredAgentSession {
  readonly accountIds: readonly AccountId[]
  readonly revokedAt: number | null
}

const { createdAt, expiresAt, ...settings } = AGENT_SESSION.schemas

const responseFields = {
  ...settings,
  integrationAccountIds: Type.Array(IdOf<AccountId>({ description: 'Identifier of an account.' }), {
    description: 'The accounts that the agent can use.',
  }),
  limits: AgentLimits,
  usage: StrictObject(
    {
      calls: Type.Integer({ description: 'Requests so far, denied ones included.' }),
      writes: Type.Integer({ description: 'Requests with other methods than GET and HEAD.' }),
    },
    { description: 'What the session has used of its limits.' },
  ),
  createdAt,
  expiresAt,
  revokedAt: Nullable(Timestamp('When it was revoked; null if it was not.')),
}

const EXAMPLE = {
  ...AGENT_SESSION.example,
  integrationAccountIds: ['acc_01kahn2s6kf5arr5d1x6z5cq3b'],
  limits: toLimits(),
  usage: { calls: 12, writes: 1 },
  revokedAt: null,
}

export const AgentSessionResponse = StrictObject(responseFields, {
  $id: 'AgentSession',
  description: 'What an agent may do with accounts.',
  examples: [EXAMPLE],
})
export type AgentSessionResponse = Static<typeof AgentSessionResponse>

/** The only response with the token, which cannot be retrieved again. */
export const NewAgentSession = StrictObject(
  {
    ...responseFields,
    token: Type.String({
      description:
        'The token of the agent, for the proxy, Get account and `mcpURL`. Returned only once.',
    }),
    mcpURL: Type.String({ description: 'The MCP server for this token.' }),
  },
  {
    $id: 'NewAgentSession',
    description: 'A new agent session.',
    examples: [
      {
        ...EXAMPLE,
        usage: { calls: 0, writes: 0 },
        token: 'las_…',
        mcpURL: 'https://connect.example.com/mcp/wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
      },
    ],
  },
)
export type NewAgentSession = Static<typeof NewAgentSession>

export function serializeAgentSession(session: AgentSession): AgentSessionResponse {
  const { callsPerMinute, maxCalls, maxWrites, maxBytes, revokedAt } = session
  return {
    ...AGENT_SESSION.serialize(session),
    rules: [...session.rules],
    integrationAccountIds: [...session.accountIds],
    limits: { callsPerMinute, calls: maxCalls, writes: maxWrites, bytes: maxBytes },
    usage: { calls: session.calls, writes: session.writes },
    revokedAt: revokedAt === null ? null : toTimestamp(revokedAt),
  }
}

/** The body of Create agent session. */
export const CreateAgentSession = StrictObject(
  {
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the accounts.' }),
    ),
    accountIdentifier: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The customer for whom the agent acts: the session has their live accounts, or of them those that the other fields choose.',
      }),
    ),
    integrationAccountIds: OptionalField(
      Type.Array(IdOf<AccountId>({ maxLength: 64, description: 'Identifier of an account.' }), {
        minItems: 1,
        maxItems: MAX_ACCOUNTS,
        uniqueItems: true,
        description: 'The accounts that the agent can use.',
      }),
    ),
    select: OptionalField(
      StrictObject(
        {
          tags: Type.Optional(TagsInput),
          integrationDefinitionIds: Type.Optional(
            Type.Array(IdOf<DefinitionId>({ maxLength: 64, description: 'A tool.' }), {
              minItems: 1,
              maxItems: 50,
              uniqueItems: true,
              description: 'Only accounts of these tools.',
            }),
          ),
        },
        {
          description:
            "Chooses among the customer's accounts that exist now, instead of `integrationAccountIds`.",
        },
      ),
    ),
    rules: OptionalField(AgentRulesInput),
    limits: OptionalField(AgentLimitsInput),
    approver: OptionalField(OneOf(APPROVERS, `${APPROVER} Default: backend.`)),
    mayConnect: OptionalField(Type.Boolean({ description: `${MAY_CONNECT} Default: false.` })),
    expiresIn: OptionalField(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        description:
          'Seconds until the session ends, at most until its creating token does. Default: 3,600.',
      }),
    ),
  },
  {
    $id: 'CreateAgentSession',
    examples: [
      {
        accountIdentifier: 'customer-41',
        rules: [{ effect: 'allow', methods: ['POST'], path: '/crm/v3/objects/notes' }],
      },
    ],
  },
)
export type CreateAgentSession = Static<typeof CreateAgentSession>
