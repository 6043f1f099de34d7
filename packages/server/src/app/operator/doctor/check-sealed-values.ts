import type { Id } from '../../../platform/storage/id.ts'
import { VaultError } from '../../../platform/vault/sealed-box.ts'
import {
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
} from '../../../platform/vault/sealed-columns.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Report } from './finding.ts'

/** Opens the sealed values of rows. */
export interface SealedValueCheck {
  check(table: string, row: SealedRow): Promise<void>
  /** Values that could be opened. */
  readonly openedCount: number
}

/**
 * Opens every sealed value with the key of its workspace and the context of its row, so that a value that was changed, lost
 * or moved to another row is found. Values of workspaces whose key was destroyed on purpose are passed over.
 */
export function createSealedValueCheck(
  vault: Pick<Vault, 'open'>,
  hasDataKey: (workspaceId: Id<'wsp'>) => boolean,
  report: Report,
): SealedValueCheck {
  let openedCount = 0
  async function open(column: SealedColumn, row: SealedRow): Promise<void> {
    const sealed = row[column.column]
    if (sealed == null || (sealed as Uint8Array).length === 0) return
    const context = column.getContext(row)
    if (!hasDataKey(context.workspaceId)) return
    try {
      // A damaged file may have text in place of bytes.
      await vault.open(context, Buffer.from(sealed as Uint8Array))
      openedCount += 1
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      report({
        check: 'sealed values',
        subject: `${column.table}/${context.rowId}`,
        problem: `${column.column} cannot be opened: ${error.message}.`,
        remedy:
          error.kind === 'unknown_key'
            ? 'Add the missing key to LINCHPIN_KEYS.'
            : 'Restore a backup, or replace the secret: reconnect the account, or enter the secret again.',
      })
    }
  }
  return {
    async check(table, row) {
      for (const column of SEALED_COLUMNS) if (column.table === table) await open(column, row)
    },
    get openedCount() {
      return openedCount
    },
  }
}
