import type { Static } from 'typebox'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { notFound } from '../../platform/errors.ts'
import { IdOf, OneOf, StrictObject } from '../../platform/http/schema.ts'
import type { AuditActor } from '../../platform/record/change.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { AccountId } from '../accounts/account.ts'
import { recordAccountChange } from '../accounts/account-records.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import { AccountParams } from '../accounts/schemas.ts'

export interface SetAgentAccessDeps {
  readonly database: Database
  readonly accounts: Pick<AccountStore, 'updateAgentAccess'>
  readonly now: () => number
}

interface AgentAccessDeps extends SetAgentAccessDeps {
  readonly accounts: Pick<AccountStore, 'findAgentAccess' | 'updateAgentAccess'>
}

/** What agents may do with an account, whatever their rules: all that these allow, only read, or nothing. */
export const AGENT_ACCESS = ['full', 'read_only', 'paused'] as const
export type AgentAccess = (typeof AGENT_ACCESS)[number]

const access = OneOf(
  AGENT_ACCESS,
  '`full`: what the rules of their sessions allow. `read_only`: of that, only GET and HEAD, and nothing where a GET may write. `paused`: nothing.',
)

const UpdateAgentAccess = StrictObject(
  { access },
  { $id: 'UpdateAgentAccess', examples: [{ access: 'read_only' }] },
)

const AgentAccessResponse = StrictObject(
  {
    integrationAccountId: IdOf<AccountId>({ description: 'Identifier of the account.' }),
    access,
  },
  {
    $id: 'AgentAccess',
    description: 'What agents may do with an account.',
    examples: [
      { integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y', access: 'read_only' as const },
    ],
  },
)
type AgentAccessResponse = Static<typeof AgentAccessResponse>

const getAgentAccessOperation = defineOperation({
  id: 'getAgentAccess',
  sdk: 'accounts.getAgentAccess',
  method: 'GET',
  path: '/v1/integration_account/:integrationAccountId/agent_access',
  tag: 'Agent sessions',
  summary: 'Get what agents may do with an integration account',
  description: 'The customer may have restricted it in the portal.',
  scope: 'read',
  params: AccountParams,
  response: AgentAccessResponse,
  returns: 'What agents may do.',
  errors: ['integration_account_not_found'],
  handle: (deps: AgentAccessDeps, caller, { params }) =>
    getAgentAccess(deps, caller, params.integrationAccountId),
})

const updateAgentAccessOperation = defineOperation({
  id: 'updateAgentAccess',
  sdk: 'accounts.updateAgentAccess',
  method: 'POST',
  path: '/v1/integration_account/:integrationAccountId/agent_access',
  tag: 'Agent sessions',
  summary: 'Say what agents may do with an integration account',
  description:
    'On behalf of the customer, who does the same in the portal. Applies to the next request of every agent session, those that exist included.',
  scope: 'agents:approve',
  params: AccountParams,
  body: UpdateAgentAccess,
  response: AgentAccessResponse,
  returns: 'What agents may do now.',
  errors: ['integration_account_not_found'],
  audit: 'account.agent_access_changed',
  handle: async (deps: AgentAccessDeps, caller, { params, body }) => {
    const { integrationAccountId } = await getAgentAccess(deps, caller, params.integrationAccountId)
    await setAgentAccess(deps, caller, integrationAccountId, body.access, 'product')
    return getAgentAccess(deps, caller, integrationAccountId)
  },
})

/** @throws ApiError `integration_account_not_found` */
async function getAgentAccess(
  { accounts }: AgentAccessDeps,
  caller: Caller,
  accountId: AccountId,
): Promise<AgentAccessResponse> {
  const found = isId('acc', accountId)
    ? await accounts.findAgentAccess(caller, accountId)
    : undefined
  if (found === undefined) throw notFound('integration_account')
  return { integrationAccountId: accountId, access: found.agentAccess ?? 'full' }
}

/** Says what agents may do with a live account from now on, on every node, and records it, unless it is so already. */
export async function setAgentAccess(
  { database, accounts, now }: SetAgentAccessDeps,
  actor: AuditActor & WorkspaceAccess,
  accountId: AccountId,
  agentAccess: AgentAccess,
  by: 'customer' | 'product',
): Promise<void> {
  await database.transaction(async (trx) => {
    const stored = agentAccess === 'full' ? null : agentAccess
    if (!(await accounts.updateAgentAccess(trx, actor, accountId, stored))) return
    const action = 'account.agent_access_changed'
    const data = { access: agentAccess, by }
    await recordAccountChange(trx, actor, now(), {
      action,
      accountId,
      detail: data,
      type: action,
      data,
      response: { integrationAccountId: accountId, access: agentAccess },
    })
  })
}

export const AGENT_ACCESS_OPERATIONS = [getAgentAccessOperation, updateAgentAccessOperation]
