import type { Id } from '../../../platform/storage/id.ts'
import { StorageError, toStorageError } from '../../../platform/storage/storage-error.ts'
import type {
  TransferSource,
  TransferTable,
} from '../../../platform/storage/transfer/transfer-source.ts'
import type { SealedRow } from '../../../platform/vault/sealed-columns.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { addChecksumLocation, checkChecksums } from './check-checksums.ts'
import { checkContents } from './check-contents.ts'
import { createSealedValueCheck } from './check-sealed-values.ts'
import type { Report } from './finding.ts'

export interface CheckRowsDeps {
  readonly source: TransferSource
  /** Undefined without keys, or with another schema: sealed values are then not opened. */
  readonly vault: Pick<Vault, 'open'> | undefined
  readonly report: Report
  /** Called before each table. */
  readonly onTable: (name: string) => void
}

/** What was read. */
export interface RowCounts {
  rows: number
  openedValues: number
  contents: number
}

/** Reads every row of one moment of the database, and checks what it can vouch for. */
export async function checkRows(deps: CheckRowsDeps): Promise<RowCounts> {
  const { source, vault, report, onTable } = deps
  const counts: RowCounts = { rows: 0, openedValues: 0, contents: 0 }
  const tables = await source.listTables()
  const withKey = await listWorkspacesWithKey(source, tables, report)
  const sealed =
    vault && createSealedValueCheck(vault, (workspaceId) => withKey.has(workspaceId), report)
  for (const found of tables) {
    const table = addChecksumLocation(found, tables)
    onTable(table.name)
    for await (const row of readRows(source, table, report)) {
      counts.rows += 1
      await sealed?.check(table.name, row)
      checkChecksums(table.name, row, report)
      if (checkContents(table.name, row, report)) counts.contents += 1
    }
  }
  return { ...counts, openedValues: sealed?.openedCount ?? 0 }
}

async function listWorkspacesWithKey(
  source: TransferSource,
  tables: readonly TransferTable[],
  report: Report,
): Promise<ReadonlySet<Id<'wsp'>>> {
  const table = tables.find(({ name }) => name === 'workspace_keys')
  const found = new Set<Id<'wsp'>>()
  if (table === undefined) return found
  for await (const row of readRows(source, table, report)) found.add(row.workspace_id as Id<'wsp'>)
  return found
}

/** Ends early, with a finding, where the database is damaged. */
async function* readRows(
  source: TransferSource,
  table: TransferTable,
  report: Report,
): AsyncGenerator<SealedRow> {
  const names = table.checksum === undefined ? table.columns : [...table.columns, 'row_checksum']
  try {
    for await (const batch of source.readRows(table))
      for (const row of batch)
        yield Object.fromEntries(names.map((column, index) => [column, row[index]]))
  } catch (cause) {
    const error = toStorageError(cause)
    if (!(error instanceof StorageError) || error.kind !== 'corrupt') throw error
    report({
      check: 'structure',
      subject: table.name,
      problem: `The table cannot be read to its end: ${error.message}.`,
      remedy: 'Restore a backup.',
    })
  }
}
