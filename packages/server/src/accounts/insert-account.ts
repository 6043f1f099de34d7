import { recordAudit } from '../audit/audit-store.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { requireDefinition } from '../definitions/require-definition.ts'
import { newId } from '../storage/id.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { Vault } from '../vault/vault.ts'
import type { NewAccount } from './account.ts'
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
  row: NewAccount,
  verified: VerifiedAccount,
): Promise<void> {
  const { workspaceId, definitionId, linkId } = row
  await requireDefinition(deps, trx, caller, workspaceId, definitionId)
  await deps.accounts.insert(trx, row)
  await verified.deleteStoredTokens(trx)
  await recordAudit(trx, caller, row.createdAt, {
    action: 'account.created',
    workspaceId,
    subject: row.accountId,
    detail: { definitionId, linkId, authType: row.authType },
  })
}

/** The row of a verified account, with the newest tokens that CHECK obtained. Waits for pending token requests. */
export async function newAccount(
  deps: { readonly vault: Vault; readonly now: () => number },
  verified: VerifiedAccount,
  input: Pick<CreateAccountThroughLink, 'integrationAccountName' | 'accountIdentifier'>,
): Promise<NewAccount> {
  const { authType, definitionId, fields, tenant } = verified.prepared
  const { config, expiresAt } = await verified.newest()
  const now = deps.now()
  const ids = { workspaceId: tenant.workspaceId, accountId: newId('acc', now) }
  return {
    ...ids,
    definitionId: definitionId,
    linkId: tenant.linkId ?? null,
    name: input.integrationAccountName,
    authType: authType,
    accountIdentifier: input.accountIdentifier ?? null,
    publicConfig: redactConfig(config, fields),
    sealedConfig: await deps.vault.seal(encryptionContext(ids), JSON.stringify(config)),
    credentialVersion: 1,
    ...NON_REFRESHABLE_DEFAULTS,
    tokenExpiresAt: expiresAt,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
}
