import type { Vault } from '../../vault/vault.ts'
import type { Account } from '../account.ts'

type AccountIds = Pick<Account, 'workspaceId' | 'accountId'>

/** The context that an encrypted configuration is bound to: it cannot be decrypted in another row. */
export function encryptionContext(row: AccountIds) {
  return {
    table: 'accounts',
    column: 'sealed_config',
    workspaceId: row.workspaceId,
    rowId: row.accountId,
  }
}

/** Decrypts the complete configuration, including secrets. @throws VaultError if the value was modified or moved */
export async function decryptConfig(
  vault: Vault,
  row: AccountIds,
  sealed: Uint8Array,
): Promise<Record<string, unknown>> {
  return JSON.parse(await vault.openText(encryptionContext(row), sealed)) as Record<string, unknown>
}
