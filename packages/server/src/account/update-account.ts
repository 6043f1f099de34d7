import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import { ApiError, notFound, unknownReference } from '../errors.ts'
import { isId } from '../storage/id.ts'
import type { AccountRow } from '../storage/tables.ts'
import { runCheck } from './check/run-check.ts'
import { prepareConfig } from './config/prepare-config.ts'
import { publicConfig } from './config/public-config.ts'
import { openConfig, sealedPlace } from './config/sealed-config.ts'
import { type ConnectAccountDeps, refuseUnlessAccepted, UNRENEWED } from './connect-account.ts'
import { getAccount } from './get-account.ts'
import type { IntegrationAccount } from './wire/account.ts'
import type { UpdateAccount } from './wire/account-requests.ts'

/**
 * Changes a name, or replaces credentials once the new ones have been proven to work; the old ones stay until then.
 * Secrets that are left out are kept while the auth type stays. A name alone runs no check.
 *
 * @throws ApiError as connectAccount; `integration_account_not_found`, also for a deleted account
 */
export async function updateAccount(
  deps: ConnectAccountDeps,
  caller: Caller,
  accountId: string,
  input: UpdateAccount,
): Promise<IntegrationAccount> {
  const row = isId('acc', accountId)
    ? await deps.accounts.findSealed(deps.database.read, caller, accountId)
    : undefined
  if (row?.sealed_config == null) throw notFound('integration_account')
  const now = deps.now()
  const change: Partial<AccountRow> = {
    ...(input.integrationAccountName == null ? {} : { name: input.integrationAccountName }),
    ...(await changedCredentials(deps, caller, row, row.sealed_config, input)),
    updated_at: now,
  }
  await deps.database.transaction(async (trx) => {
    if (!(await deps.accounts.update(trx, caller, row, change)))
      throw new ApiError(
        'concurrent_update',
        'The account was changed or deleted by another request meanwhile. Read it and try again.',
      )
    await recordAudit(trx, caller, now, {
      action: 'account.updated',
      workspaceId: row.workspace_id,
      subject: accountId,
      detail: { fields: Object.keys(input) },
    })
  })
  return getAccount(deps, caller, accountId)
}

/** The check passed, so the account is well again; when its new token ends is not known. */
const RENEWED_BY_HAND = {
  status: 'active',
  status_reason: null,
  token_expires_at: null,
  renew_at: null,
  renew_failures: 0,
  renewal_sent_at: null,
} as const

async function changedCredentials(
  deps: ConnectAccountDeps,
  caller: Caller,
  row: AccountRow,
  sealed: Uint8Array,
  input: UpdateAccount,
): Promise<Partial<AccountRow>> {
  if (input.config == null && input.authType == null) return {}
  if (row.status === 'pending')
    throw new ApiError('account_pending', 'This account waits to be confirmed. Confirm it first.')
  const authType = input.authType ?? row.auth_type
  const definition = await deps.definitions.findLive(
    deps.database.read,
    caller,
    row.workspace_id,
    row.definition_id,
  )
  if (definition === undefined) throw unknownReference('integrationDefinitionId')
  const kept = authType === row.auth_type ? await openConfig(deps.vault, row, sealed) : {}
  const merged = { ...kept, ...input.config }
  const prepared = await prepareConfig(deps.judgeConfig, definition, authType, merged)
  refuseUnlessAccepted(await runCheck(deps, prepared))
  return {
    // Credentials that a person put in are nobody's to renew, until a sign-in says otherwise.
    ...(authType === row.auth_type ? RENEWED_BY_HAND : UNRENEWED),
    auth_type: authType,
    public_config: JSON.stringify(publicConfig(prepared.config, prepared.fields)),
    sealed_config: await deps.vault.seal(sealedPlace(row), JSON.stringify(prepared.config)),
    credential_version: row.credential_version + 1,
  }
}
