import type { Caller } from '../../caller/caller.ts'
import type { DefinitionStore } from '../../definition/definition-store.ts'
import { referencedDefinition } from '../../definition/referenced-definition.ts'
import { resolveWorkspace } from '../../workspace/resolve-workspace.ts'
import type { WorkspaceStore } from '../../workspace/workspace-store.ts'
import type { JudgeConfig } from '../config/judge-config.ts'
import { prepareConfig } from '../config/prepare-config.ts'
import type { CheckAccount } from '../wire/account-requests.ts'
import type { CheckAnswer } from '../wire/check-answer.ts'
import { type CheckConfigDeps, checkConfig } from './check-config.ts'
import { senderOf } from './rotation-binding.ts'

export interface CheckAccountDeps extends CheckConfigDeps {
  readonly workspaces: WorkspaceStore
  readonly definitions: DefinitionStore
  readonly judgeConfig: JudgeConfig
}

/**
 * Tells whether credentials work and makes no account (interface: Check credentials). Wrong ones are a normal answer. Tokens
 * that the integration replaces on the way are stored for the next request that gives the same ones.
 *
 * @throws ApiError `unknown_reference`, `auth_type_not_allowed`, `validation_failed`, `integration_…`
 */
export async function checkAccount(
  deps: CheckAccountDeps,
  caller: Caller,
  input: CheckAccount,
): Promise<CheckAnswer> {
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const { read } = deps.database
  const definitionId = input.integrationDefinitionId
  const definition = await referencedDefinition(deps, read, caller, workspaceId, definitionId)
  const prepared = await prepareConfig(deps.judgeConfig, definition, input.authType, input.config, {
    workspaceId,
  })
  return checkConfig(deps, workspaceId, prepared, async ({ outcome }) => outcome.answer, {
    sender: senderOf(caller),
  })
}
