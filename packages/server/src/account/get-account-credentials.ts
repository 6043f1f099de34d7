import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { notFound } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import { isId } from '../storage/id.ts'
import type { Vault } from '../vault/vault.ts'
import type { AccountCredentials } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { sealedPlace } from './connect-account.ts'

export interface GetAccountCredentialsDeps {
  readonly database: Database
  readonly vault: Vault
  readonly accounts: AccountStore
  readonly now: () => number
}

/**
 * The one door through which live credentials leave. Every passage stands in the audit trail before the answer does.
 *
 * @throws ApiError `integration_account_not_found`, also for a deleted account: nothing is left of it
 */
export async function getAccountCredentials(
  deps: GetAccountCredentialsDeps,
  caller: Caller,
  accountId: string,
): Promise<AccountCredentials> {
  const row = isId('acc', accountId)
    ? await deps.accounts.findSealed(deps.database.read, caller, accountId)
    : undefined
  if (row?.sealed_config == null) throw notFound('integration_account')
  const config = await deps.vault.open(sealedPlace(row), row.sealed_config)
  await deps.database.transaction((trx) =>
    recordAudit(trx, caller, deps.now(), {
      action: 'account.credentials_read',
      workspaceId: row.workspace_id,
      subject: accountId,
    }),
  )
  return {
    integrationAccountId: row.account_id,
    authType: row.auth_type,
    config: JSON.parse(new TextDecoder().decode(config)) as Record<string, unknown>,
  }
}
