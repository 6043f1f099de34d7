import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { notFound } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { AccountStore } from './account-store.ts'
import { accountHeaders } from './renewal/headers/account-headers.ts'
import type { RenewalDeps } from './renewal/renewal-deps.ts'
import type { AccountCredentials } from './wire/account-credentials.ts'

export interface GetAccountCredentialsDeps extends RenewalDeps {
  readonly accounts: AccountStore
}

/**
 * The one door through which live credentials leave: tokens are renewed first when need be, and headers are ready to
 * be sent. Every passage stands in the audit trail before the answer does.
 *
 * @throws ApiError `integration_account_not_found`, also for a deleted account: nothing is left of it; `needs_reauth`,
 * `account_pending`, `renewal_in_progress`, `provider_…`, `integration_…`
 */
export async function getAccountCredentials(
  deps: GetAccountCredentialsDeps,
  caller: Caller,
  accountId: string,
): Promise<AccountCredentials> {
  const found = isId('acc', accountId) ? await deps.accounts.find(caller, accountId) : undefined
  if (found === undefined || found.deleted_at !== null) throw notFound('integration_account')
  const { row, grant, headers } = await accountHeaders(deps, accountId)
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
    config: grant.config,
    headers,
  }
}
