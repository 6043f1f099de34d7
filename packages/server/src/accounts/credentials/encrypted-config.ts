import type { AccountRow } from '../../storage/tables.ts'
import type { Vault } from '../../vault/vault.ts'

type AccountIds = Pick<AccountRow, 'workspace_id' | 'account_id'>

/** The context that an encrypted configuration is bound to: it cannot be decrypted in another row. */
export function encryptionContext(row: AccountIds) {
  return {
    table: 'accounts',
    column: 'sealed_config',
    workspaceId: row.workspace_id,
    rowId: row.account_id,
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
