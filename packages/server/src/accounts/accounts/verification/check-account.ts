import type { Caller } from '../../../access/auth/caller.ts'
import { CHECK_ERRORS, defineOperation } from '../../../access/operations/define-operation.ts'
import {
  resolveWorkspace,
  type WorkspaceStore,
} from '../../../access/workspaces/workspace-store.ts'
import type { DefinitionStore } from '../../../integrations/definitions/definition-store.ts'
import { requireDefinition } from '../../../integrations/definitions/find-definition.ts'
import {
  type RecordAttemptDeps,
  recordApiAttempt,
  recordFailedApiAttempt,
} from '../account-records.ts'
import { type PrepareConfigDeps, prepareConfig } from '../credentials/account-config.ts'
import { CheckAccount, CheckResponse } from '../schemas.ts'
import { type CheckConfigDeps, checkConfig, getSender } from './check-config.ts'
import { type CheckOutcome, createProviderUnavailableError, isUnreachable } from './run-check.ts'

export interface CheckAccountDeps extends CheckConfigDeps, PrepareConfigDeps, RecordAttemptDeps {
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
}

export const checkAccountOperation = defineOperation({
  id: 'checkAccount',
  sdk: 'accounts.check',
  method: 'POST',
  path: '/v1/integration_account/check',
  tag: 'Integration accounts',
  summary: 'Check credentials without creating an account',
  description:
    'Returns 200 for valid and for invalid credentials; `status` tells them apart. No account is created.',
  scope: 'accounts:write',
  body: CheckAccount,
  response: CheckResponse,
  returns: 'The check result.',
  errors: [...CHECK_ERRORS, 'unknown_reference'],
  config: { ignoresIdempotencyKey: true, rate: 'bundle' },
  handle: (deps: CheckAccountDeps, caller, { body }) => checkAccount(deps, caller, body),
})

/**
 * Checks whether credentials work, without creating an account (interface: Check credentials). Invalid credentials
 * are a normal result. Tokens that the integration rotates during the check are stored for the next request that
 * sends the same ones.
 *
 * @throws ApiError `unknown_reference`, `auth_type_not_allowed`, `validation_failed`, `integration_…`
 */
export async function checkAccount(
  deps: CheckAccountDeps,
  caller: Caller,
  input: CheckAccount,
): Promise<CheckResponse> {
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const { read } = deps.database
  const definitionId = input.integrationDefinitionId
  const definition = await requireDefinition(deps, read, caller, workspaceId, definitionId)
  const target = { workspaceId, definition }
  try {
    const { authType, config } = input
    const prepared = await prepareConfig(deps, definition, authType, config, { workspaceId })
    await using checked = await checkConfig(deps, prepared, { sender: getSender(caller) })
    await recordApiAttempt(deps, caller, target, input, describeOutcome(checked.outcome))
    return checked.outcome.result
  } catch (error) {
    await recordFailedApiAttempt(deps, caller, target, input, error)
    throw error
  }
}

function describeOutcome({ result, lastExchange, lastStatus, lastRequestId }: CheckOutcome) {
  const response = { providerStatus: lastStatus ?? null, providerRequestId: lastRequestId ?? null }
  if (result.status) return { outcome: 'accepted', code: null, ...response } as const
  const code = isUnreachable(lastExchange)
    ? createProviderUnavailableError(lastExchange).code
    : 'credentials_rejected'
  return { outcome: 'failed', code, ...response } as const
}
