import { recordAudit } from '../audit/audit-store.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { requireDefinition } from '../definitions/require-definition.ts'
import { newId } from '../storage/id.ts'
import type { AccountRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { Vault } from '../vault/vault.ts'
import type { AccountStore } from './account-store.ts'
import { encryptionContext } from './credentials/encrypted-config.ts'
import { NON_REFRESHABLE_DEFAULTS } from './credentials/non-refreshable-defaults.ts'
import { redactConfig } from './credentials/redact-config.ts'
import type { CreateAccountThroughLink } from './schemas/account-requests.ts'
import type { AccountCreator, VerifiedAccount } from './verify-account.ts'

export interface InsertAccountDeps {
  readonly accounts: AccountStore
  readonly definitions: DefinitionStore
}

/**
 * The second phase of creating an account: inserts a verified account. Call it in a serializable transaction, because the
 * definition must still be live when the account is committed.
 *
 * @throws ApiError `unknown_reference`
 */
export async function insertAccount(
  deps: InsertAccountDeps,
  trx: Transaction,
  caller: AccountCreator,
  row: AccountRow,
  verified: VerifiedAccount,
): Promise<void> {
  const { workspace_id: workspaceId, definition_id: definitionId, link_id: linkId } = row
  await requireDefinition(deps, trx, caller, workspaceId, definitionId)
  await deps.accounts.insert(trx, row)
  await verified.deleteStoredTokens(trx)
  await recordAudit(trx, caller, row.created_at, {
    action: 'account.created',
    workspaceId,
    subject: row.account_id,
    detail: { definitionId, linkId, authType: row.auth_type },
  })
}

/** The row of a verified account, with the newest tokens that CHECK obtained. Waits for pending token requests. */
export async function newAccountRow(
  deps: { readonly vault: Vault; readonly now: () => number },
  verified: VerifiedAccount,
  input: Pick<CreateAccountThroughLink, 'integrationAccountName' | 'accountIdentifier'>,
): Promise<AccountRow> {
  const { authType, definitionId, fields, tenant } = verified.prepared
  const { config, expiresAt } = await verified.newest()
  const now = deps.now()
  const ids = { workspace_id: tenant.workspaceId, account_id: newId('acc', now) }
  return {
    ...ids,
    definition_id: definitionId,
    link_id: tenant.linkId ?? null,
    name: input.integrationAccountName,
    auth_type: authType,
    account_identifier: input.accountIdentifier ?? null,
    public_config: JSON.stringify(redactConfig(config, fields)),
    sealed_config: await deps.vault.seal(encryptionContext(ids), JSON.stringify(config)),
    credential_version: 1,
    ...NON_REFRESHABLE_DEFAULTS,
    token_expires_at: expiresAt,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
}
