import type { Caller } from '../auth/caller.ts'
import { resolveWorkspace } from '../workspaces/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'
import { type CreateVerifiedAccountDeps, createVerifiedAccount } from './create-verified-account.ts'
import type { IntegrationAccount } from './schemas/account.ts'
import type { CreateAccount } from './schemas/account-requests.ts'

export interface CreateAccountDeps extends CreateVerifiedAccountDeps {
  readonly workspaces: WorkspaceStore
}

/** Creates an account, once its credentials have been proven to work (interface: Create integration account). */
export async function createAccount(
  deps: CreateAccountDeps,
  caller: Caller,
  input: CreateAccount,
): Promise<IntegrationAccount> {
  const { workspaceId: requestedWorkspaceId, ...accountInput } = input
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, requestedWorkspaceId)
  const context = { workspaceId, linkId: null, oauthOnly: false, assertAllowed: async () => {} }
  return createVerifiedAccount(deps, caller, context, accountInput)
}
