import type { Caller } from '../../access/auth/caller.ts'
import type { PublicAccount } from '../../accounts/accounts/account.ts'
import type { AccountStore } from '../../accounts/accounts/account-store.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { LinkPolicy } from '../links/link.ts'
import { requireAllowedDefinition } from '../links/link-policy.ts'
import type { CreateConnectSession } from './connect-session-requests.ts'

interface FindReconnectedAccountDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly accounts: Pick<AccountStore, 'find'>
}

/**
 * The account to reconnect. The same error for an unknown one, a deleted or pending one, that of another customer or workspace,
 * and one of a tool that its link does not allow.
 */
export async function findReconnectedAccount(
  deps: FindReconnectedAccountDeps,
  caller: Caller,
  link: LinkPolicy,
  input: CreateConnectSession,
): Promise<PublicAccount | undefined> {
  const { integrationAccountId: accountId, accountIdentifier } = input
  if (accountId == null) return undefined
  for (const name of ['integrationDefinitionIds', 'category', 'maxAccounts', 'tags'] as const)
    if (input[name] != null)
      throw validationFailed(fieldError(name, 'unexpected', 'Not with integrationAccountId.'))
  if (input.mode === 'manage')
    throw validationFailed(
      fieldError('integrationAccountId', 'unexpected', 'Not with the mode manage.'),
    )
  const account = isId('acc', accountId) ? await deps.accounts.find(caller, accountId) : undefined
  if (
    account === undefined ||
    account.deletedAt !== null ||
    account.status === 'pending' ||
    account.workspaceId !== link.workspaceId ||
    (accountIdentifier != null && account.accountIdentifier !== accountIdentifier)
  )
    throw unknownReference('integrationAccountId')
  try {
    await requireAllowedDefinition(deps, caller, link, account.definitionId)
  } catch (error) {
    if (error instanceof ApiError) throw unknownReference('integrationAccountId')
    throw error
  }
  return account
}
