import type { Transaction } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import type { AgentSession } from './agent-session.ts'
import { getSignInStatus, SIGN_IN_REQUEST, type SignInRequest } from './sign-in-request.ts'
import type { SignInRequestStore } from './sign-in-request-store.ts'

export interface EnsureSignInRequestDeps {
  readonly signInRequests: Pick<SignInRequestStore, 'findLast' | 'insert'>
  readonly now: () => number
}

const OPEN: readonly string[] = ['created', 'opened', 'verified']

/** The page for the customer of a session, for one purpose: the one that is open, else a new one. */
export async function ensureSignInRequest(
  { signInRequests, now }: EnsureSignInRequestDeps,
  trx: Transaction,
  { agentSessionId, workspaceId }: AgentSession,
  page: Pick<SignInRequest, 'purpose' | 'subject' | 'expectedIdentifier' | 'expiresAt'>,
): Promise<SignInRequest> {
  const time = now()
  const last = await signInRequests.findLast(trx, { agentSessionId, subject: page.subject })
  if (last !== undefined && OPEN.includes(getSignInStatus(last, time))) return last
  const request = SIGN_IN_REQUEST.create({
    ...page,
    signInRequestId: newId('sir', time),
    workspaceId,
    agentSessionId,
    isCustomer: false,
    status: 'created',
    createdAt: time,
  })
  await signInRequests.insert(trx, request)
  return request
}
