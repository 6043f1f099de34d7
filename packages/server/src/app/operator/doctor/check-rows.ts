import { hash } from 'node:crypto'
import type { Id } from '../../../platform/storage/id.ts'
import { StorageError, toStorageError } from '../../../platform/storage/storage-error.ts'
import type {
  TransferSource,
  TransferTable,
} from '../../../platform/storage/transfer/transfer-source.ts'
import { VaultError } from '../../../platform/vault/sealed-box.ts'
import {
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
} from '../../../platform/vault/sealed-value-store.ts'
import type { Vault } from '../../../platform/vault/vault.ts'

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
  for (const table of tables) {
    onTable(table.name)
    for await (const row of readRows(source, table, report)) {
      counts.rows += 1
      await sealed?.check(table.name, row)
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
  try {
    for await (const batch of source.readRows(table))
      for (const row of batch)
        yield Object.fromEntries(table.columns.map((column, index) => [column, row[index]]))
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

/** Compares contents with the SHA-256 under which they are stored: those of bundles and of icons. */
function checkContents(table: string, row: SealedRow, report: Report): boolean {
  const content = CONTENTS[table]?.(row)
  if (content === undefined) return false
  if (hash('sha256', content.bytes) === content.sha256) return true
  report({
    check: 'contents',
    subject: `${table}/${content.name}`,
    problem: 'Its bytes have changed: they do not have the SHA-256 under which they are stored.',
    remedy: content.remedy,
  })
  return true
}

interface Content {
  readonly name: string
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly remedy: string
}

const CONTENTS: Readonly<Record<string, (row: SealedRow) => Content>> = {
  bundles: ({ sha256, code }) => ({
    name: String(sha256),
    bytes: code as Uint8Array,
    sha256: String(sha256),
    remedy: 'Restore a backup, or create the definitions that use it again from their sourceUrl.',
  }),
  definition_icons: ({ definition_id, path, content }) => ({
    name: String(definition_id),
    bytes: content as Uint8Array,
    sha256: /[\da-f]{64}/.exec(String(path))?.[0] ?? '',
    remedy: 'Set the icon of the definition again.',
  }),
}

/** Opens the sealed values of rows. */
interface SealedValueCheck {
  check(table: string, row: SealedRow): Promise<void>
  /** Values that could be opened. */
  readonly openedCount: number
}

/**
 * Opens every sealed value with the key of its workspace and the context of its row, so that a value that was changed, lost
 * or moved to another row is found. Values of workspaces whose key was destroyed on purpose are passed over.
 */
function createSealedValueCheck(
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

/** Something that is wrong, and what the operator can do about it. */
export interface Finding {
  /** What was checked. */
  readonly check:
    | 'settings'
    | 'files'
    | 'overrides'
    | 'structure'
    | 'schema'
    | 'keys'
    | 'sealed values'
    | 'contents'
    | 'rows'
  /** Where: a file, a table, or a row as `table/id`. */
  readonly subject: string
  /** A sentence. */
  readonly problem: string
  /** A sentence: what to do. */
  readonly remedy: string
}

export type Report = (finding: Finding) => void
