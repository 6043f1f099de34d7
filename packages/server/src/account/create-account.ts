import type { Caller } from '../caller/caller.ts'
import { resolveWorkspace } from '../workspace/resolve-workspace.ts'
import type { WorkspaceStore } from '../workspace/workspace-store.ts'
import { type ConnectAccountDeps, connectAccount } from './connect-account.ts'
import type { IntegrationAccount } from './wire/account.ts'
import type { CreateAccount } from './wire/account-requests.ts'

export interface CreateAccountDeps extends ConnectAccountDeps {
  readonly workspaces: WorkspaceStore
}

/** Creates an account, once its credentials have been proven to work (interface: Create integration account). */
export async function createAccount(
  deps: CreateAccountDeps,
  caller: Caller,
  input: CreateAccount,
): Promise<IntegrationAccount> {
  const { workspaceId: wanted, ...connection } = input
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, wanted)
  const place = { workspaceId, linkId: null, oauthOnly: false, admit: async () => {} }
  return connectAccount(deps, caller, place, connection)
}
