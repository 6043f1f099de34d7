import { revokeWithDescendants } from '../../access/tokens/token-store.ts'
import type { EventDraft } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import {
  type AgentSession,
  type AgentSessionResponse,
  serializeAgentSession,
} from './agent-session.ts'
import type { AgentSessionStore } from './agent-session-store.ts'
import { deleteRecordsOfSessions } from './oauth-server-record-store.ts'

export interface EndAgentSessionDeps {
  readonly agentSessions: Pick<AgentSessionStore, 'end'>
  readonly now: () => number
}

/**
 * Ends a session with its token and, of a client with which a person has signed in, all of its codes and tokens.
 *
 * @returns the ended session; the same one if it had ended
 */
export async function endAgentSession(
  { agentSessions, now }: EndAgentSessionDeps,
  trx: Transaction,
  actor: Parameters<typeof record>[1],
  userId: Id<'usr'>,
  session: AgentSession,
  detail?: Readonly<Record<string, unknown>>,
): Promise<AgentSession> {
  const time = now()
  if (session.revokedAt !== null || session.expiresAt <= time) return session
  const { agentSessionId: subject, workspaceId, tokenId } = session
  await revokeWithDescendants(trx, userId, tokenId, time)
  await agentSessions.end(trx, subject, time)
  await deleteRecordsOfSessions(trx, [subject])
  const ended = { ...session, revokedAt: time, expiresAt: time }
  await record(trx, actor, time, {
    action: 'agent_session.revoked',
    workspaceId,
    subject,
    ...(detail && { detail }),
    event: createSessionEvent('agent_session.revoked', serializeAgentSession(ended)),
  })
  return ended
}

export function createSessionEvent(
  type: Extract<EventType, `agent_session.${string}`>,
  agentSession: AgentSessionResponse,
): EventDraft {
  const { agentSessionId: subject, accountIdentifier } = agentSession
  return { type, subject, accountIdentifier, data: { agentSession } }
}
