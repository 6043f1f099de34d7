import type { AccountRow } from '../../storage/tables.ts'
import type { Vault } from '../../vault/vault.ts'

type AccountIds = Pick<AccountRow, 'workspace_id' | 'account_id'>

/** Where a sealed configuration belongs: moved elsewhere it does not open. */
export function encryptionContext(row: AccountIds) {
  return {
    table: 'accounts',
    column: 'sealed_config',
    workspaceId: row.workspace_id,
    rowId: row.account_id,
  }
}

/** The whole configuration, secrets included. @throws VaultError when it was changed or moved */
export async function decryptConfig(
  vault: Vault,
  row: AccountIds,
  sealed: Uint8Array,
): Promise<Record<string, unknown>> {
  return JSON.parse(await vault.openText(encryptionContext(row), sealed)) as Record<string, unknown>
}
