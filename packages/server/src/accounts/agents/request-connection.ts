import type { Caller } from '../../access/auth/caller.ts'
import type {
  DefinitionId,
  DefinitionReference,
} from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { findDefinitionId } from '../../integrations/definitions/find-definition.ts'
import { ApiError, unknownReference } from '../../platform/errors.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { AccountId } from '../accounts/account.ts'
import { type AgentCallDeps, spend } from './agent-call.ts'
import { type AgentSession, MAX_ACCOUNTS } from './agent-session.ts'
import { type AgentSessionStore, requireOwnSession } from './agent-session-store.ts'
import { ensureSignInRequest } from './ensure-sign-in-request.ts'
import { buildSignInUrl } from './sign-in-request.ts'
import type { SignInRequestStore } from './sign-in-request-store.ts'

export interface RequestConnectionDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly agentSessions: AgentSessionStore
  readonly signInRequests: SignInRequestStore
  readonly baseUrl: () => string
  readonly now: AgentCallDeps['now']
}

/** What to connect: a tool, by its ID or key, or an account of the session again. */
export type ConnectionTarget =
  | { readonly integration: DefinitionReference }
  | { readonly account: AccountId }

/** Where the customer connects, or the accounts that they have connected. */
export type ConnectionState =
  | { readonly status: 'waiting'; readonly url: string }
  | { readonly status: 'connected'; readonly accounts: readonly AccountId[] }

const LIFETIME_MS = 10 * 60_000

/**
 * Asks the customer of a session to connect or reconnect an account. What they have connected belongs to the session from then on.
 *
 * @throws ApiError `agent_rule_denied` if the session may not ask; `unknown_reference`, `agent_budget_spent`, `rate_limited`,
 * `token_invalid`
 */
export async function requestConnection(
  deps: RequestConnectionDeps,
  caller: Caller,
  target: ConnectionTarget,
): Promise<ConnectionState> {
  const { database, signInRequests, now } = deps
  const session = await requireOwnSession(deps, caller)
  const { accountIdentifier: expectedIdentifier } = session
  if (!session.mayConnect || expectedIdentifier === null)
    throw new ApiError(
      'agent_rule_denied',
      'This session may not ask for connections: it was created without mayConnect.',
    )
  await spend(deps, session, false)
  const subject = await resolveSubject(deps, caller, session, target)
  return database.transaction(async (trx) => {
    const last = await signInRequests.findLast(trx, { ...session, subject })
    const connected =
      last?.connectSessionId == null
        ? undefined
        : await signInRequests.findConnected(trx, caller, last.connectSessionId)
    if (connected !== undefined) {
      const accounts = await listOwn(deps, trx, caller, session, connected)
      // A client has all accounts of its customer anyway.
      if (session.clientId === null) await deps.agentSessions.addAccounts(trx, session, accounts)
      return { status: 'connected', accounts } as const
    }
    const expiresAt = Math.min(now() + LIFETIME_MS, session.expiresAt)
    const page = { purpose: 'connect', subject, expectedIdentifier, expiresAt } as const
    const { signInRequestId } = await ensureSignInRequest(deps, trx, session, page)
    return { status: 'waiting', url: buildSignInUrl(deps.baseUrl(), signInRequestId) } as const
  })
}

/** The ID of what to connect. @throws ApiError `unknown_reference` */
async function resolveSubject(
  { definitions }: RequestConnectionDeps,
  caller: Caller,
  { workspaceId }: AgentSession,
  target: ConnectionTarget,
): Promise<DefinitionId | AccountId> {
  if ('account' in target) {
    if (!caller.accountIds?.has(target.account)) throw unknownReference('account')
    return target.account
  }
  const id = await findDefinitionId({ definitions }, caller, workspaceId, target.integration)
  const definition = id && (await definitions.find(caller, id, workspaceId))
  if (definition === undefined || definition.deletedAt !== null)
    throw unknownReference('integration')
  return definition.definitionId
}

/** Of these accounts, those that are still the customer's. */
function listOwn(
  { agentSessions }: RequestConnectionDeps,
  trx: Transaction,
  caller: Caller,
  { workspaceId, accountIdentifier }: AgentSession,
  accountIds: readonly AccountId[],
): Promise<AccountId[]> {
  const customer = {
    workspaceId,
    accountIdentifier: accountIdentifier ?? '',
    accountIds,
    definitionIds: undefined,
    tags: {},
  }
  return agentSessions.listAccounts(trx, caller, customer, MAX_ACCOUNTS)
}
