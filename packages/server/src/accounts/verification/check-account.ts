import type { Caller } from '../../auth/caller.ts'
import type { DefinitionStore } from '../../definitions/definition-store.ts'
import { requireDefinition } from '../../definitions/require-definition.ts'
import { resolveWorkspace } from '../../workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../../workspaces/workspace-store.ts'
import { prepareConfig } from '../credentials/prepare-config.ts'
import type { ValidateConfig } from '../credentials/validate-config.ts'
import type { CheckAccount } from '../schemas/account-requests.ts'
import type { CheckResponse } from '../schemas/check-response.ts'
import { type CheckConfigDeps, checkConfig } from './check-config.ts'
import { getSender } from './rotation-binding.ts'

export interface CheckAccountDeps extends CheckConfigDeps {
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly validateConfig: ValidateConfig
}

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
  const prepared = await prepareConfig(
    deps.validateConfig,
    definition,
    input.authType,
    input.config,
    {
      workspaceId,
    },
  )
  return checkConfig(deps, workspaceId, prepared, async ({ outcome }) => outcome.result, {
    sender: getSender(caller),
  })
}
