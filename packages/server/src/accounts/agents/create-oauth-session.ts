import { generateAccessToken } from '../../access/auth/access-token.ts'
import { createAccessTokenRecord } from '../../access/tokens/token-operations.ts'
import type { TokenStore } from '../../access/tokens/token-store.ts'
import type { Workspace } from '../../access/workspaces/workspace.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import {
  AGENT_SESSION,
  type AgentSession,
  type AgentSessionId,
  serializeAgentSession,
} from './agent-session.ts'
import { AGENT_SCOPES } from './agent-session-operations.ts'
import type { AgentSessionStore } from './agent-session-store.ts'
import {
  createSessionEvent,
  type EndAgentSessionDeps,
  endAgentSession,
} from './end-agent-session.ts'

export interface CreateOAuthSessionDeps extends EndAgentSessionDeps {
  readonly agentSessions: Pick<AgentSessionStore, 'insert' | 'end' | 'listOfCustomer'>
  readonly tokens: Pick<TokenStore, 'insert'>
}

/** A customer, and the client that they let use their accounts. */
export interface ConsentedClient {
  readonly agentSessionId: AgentSessionId
  readonly workspace: Workspace
  readonly accountIdentifier: string
  readonly clientId: string
  readonly clientName: string
  readonly canWrite: boolean
}

/** Until the client redeems its code; each token that it gets makes the session live longer. */
const FIRST_MS = 10 * 60_000
/** With one more, the oldest ends. */
const MAX_OF_CUSTOMER = 50
const UNLIMITED = 1_000_000

/**
 * Creates the session of a client with which a customer has signed in: it has the accounts that the customer has at each request, and the
 * rules of the workspace. Its own token is never returned.
 */
export async function createOAuthSession(
  deps: CreateOAuthSessionDeps,
  trx: Transaction,
  actor: Parameters<typeof record>[1],
  consented: ConsentedClient,
): Promise<void> {
  const { agentSessions, tokens, now } = deps
  const { workspace, accountIdentifier, canWrite } = consented
  const { workspaceId, userId } = workspace
  const time = now()
  const others = await agentSessions.listOfCustomer(trx, { workspaceId, accountIdentifier }, time)
  for (const oldest of others.slice(MAX_OF_CUSTOMER - 1))
    await endAgentSession(deps, trx, actor, userId, oldest)
  const token = createAccessTokenRecord(generateAccessToken('las_'), {
    userId,
    workspaceId,
    accountIds: null,
    parentTokenId: null,
    name: 'MCP client',
    scopes: AGENT_SCOPES,
    origin: 'agent',
    createdAt: time,
    expiresAt: time + FIRST_MS,
  })
  const session = buildSession(consented, token.tokenId, time)
  await tokens.insert(trx, token)
  await agentSessions.insert(trx, session)
  const agentSession = serializeAgentSession({ ...session, accountIds: [], revokedAt: null })
  await record(trx, actor, time, {
    action: 'agent_session.created',
    workspaceId,
    subject: session.agentSessionId,
    detail: { clientId: consented.clientId, canWrite },
    event: createSessionEvent('agent_session.created', agentSession),
  })
}

function buildSession(
  { agentSessionId, workspace, accountIdentifier, clientId, clientName }: ConsentedClient,
  tokenId: AgentSession['tokenId'],
  now: number,
) {
  return AGENT_SESSION.create({
    agentSessionId,
    workspaceId: workspace.workspaceId,
    tokenId,
    accountIdentifier,
    rules: workspace.settings.agents?.rules ?? [],
    approver: 'either',
    mayConnect: true,
    clientId,
    clientName,
    callsPerMinute: 60,
    maxCalls: UNLIMITED,
    maxWrites: UNLIMITED,
    maxBytes: 65_536,
    calls: 0,
    writes: 0,
    minute: 0,
    minuteCalls: 0,
    createdAt: now,
    expiresAt: now + FIRST_MS,
  })
}
