import type { Caller } from '../auth/caller.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { type InsertAccountDeps, insertAccount, newAccount } from './insert-account.ts'
import type { IntegrationAccount } from './schemas/account.ts'
import type { CreateAccount } from './schemas/account-requests.ts'
import { serializeAccount } from './schemas/serialize-account.ts'
import { type VerifyAccountDeps, verifyAccount } from './verify-account.ts'

export interface CreateAccountDeps extends VerifyAccountDeps, InsertAccountDeps {
  readonly workspaces: WorkspaceStore
}

/**
 * Creates an account after its credentials have been verified (interface: Create integration account).
 *
 * @throws ApiError `workspace_not_accessible`; as `verifyAccount`
 */
export async function createAccount(
  deps: CreateAccountDeps,
  caller: Caller,
  input: CreateAccount,
): Promise<IntegrationAccount> {
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  return verifyAccount(deps, caller, { workspaceId }, input, async (verified) => {
    const row = await newAccount(deps, verified, input)
    await deps.database.transaction((trx) => insertAccount(deps, trx, caller, row, verified), {
      serializable: true,
    })
    return serializeAccount(row)
  })
}
