import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { listMigrationNames } from '../../../platform/storage/migrate.ts'
import { StorageVersionError } from '../../../platform/storage/storage-error.ts'
import {
  createTableHash,
  encodeRow,
  type TransferRow,
} from '../../../platform/storage/transfer/transfer-row.ts'
import type {
  TransferSource,
  TransferTable,
} from '../../../platform/storage/transfer/transfer-source.ts'
import { writeNewFile } from '../../../platform/storage/write-new-file.ts'
import type { ExportHeader, ExportTrailer } from './export-file.ts'

/** What was exported of a table. */
export interface TableReport {
  readonly name: string
  readonly rows: number
  readonly hash: string
}

/**
 * Writes everything that a database contains at one moment into a new file, see `writeNewFile`.
 *
 * @throws {StorageVersionError} if the database has the schema of another version, or half of an import
 */
export async function exportDatabase(
  source: TransferSource,
  file: string,
  onTable: (report: TableReport) => void,
): Promise<void> {
  const migrations = listMigrationNames()
  assertSameSchema(await source.listMigrations(), migrations)
  await writeNewFile(file, async (partial) => {
    const output = await open(partial, 'a')
    try {
      await writeContent(source, output, migrations, onTable)
    } finally {
      await output.close()
    }
  })
}

async function writeContent(
  source: TransferSource,
  output: FileHandle,
  migrations: readonly string[],
  onTable: (report: TableReport) => void,
): Promise<void> {
  const write = (value: object) => output.appendFile(`${JSON.stringify(value)}\n`)
  const { dialect: from } = source
  await write({ linchpinExport: 1, id: randomUUID(), from, migrations } satisfies ExportHeader)
  const keys = createKeyCollector()
  for (const table of await source.listTables()) {
    await write({ table: table.name, columns: table.columns })
    const hash = createTableHash()
    for await (const rows of source.readRows(table)) {
      const lines = rows.map(encodeRow)
      for (const line of lines) hash.add(line)
      keys.add(table, rows)
      await output.appendFile(`${lines.join('\n')}\n`)
    }
    const report = { name: table.name, rows: hash.count, hash: hash.digest() }
    await write({ rows: report.rows, hash: report.hash })
    onTable(report)
  }
  const counters = await source.readCounters()
  await write({ counters, keys: keys.collected() } satisfies ExportTrailer)
}

function assertSameSchema(found: readonly string[], expected: readonly string[]): void {
  if (found.join() === expected.join()) return
  const last = found.at(-1)
  throw new StorageVersionError(
    last === undefined
      ? 'The database is empty: there is nothing to export.'
      : `The database has the schema ${last}, and this version of Linchpin has ${expected.at(-1)}. Export with the version that the service runs.`,
  )
}

/** Notes which keys of the key ring the data keys need. */
function createKeyCollector() {
  const used = new Set<string>()
  const checks = new Map<string, string>()
  return {
    add({ name, columns }: TransferTable, rows: readonly TransferRow[]): void {
      const key = columns.indexOf('key_id')
      // That of the data key before, while `keys rekey` runs.
      const previousKey = columns.indexOf('previous_key_id')
      const sealed = columns.indexOf('sealed')
      for (const row of rows) {
        if (name === 'workspace_keys')
          for (const id of [row[key], row[previousKey]]) if (typeof id === 'string') used.add(id)
        const value = row[sealed]
        if (name === 'key_checks' && value instanceof Uint8Array)
          checks.set(String(row[key]), Buffer.from(value).toString('base64'))
      }
    },
    collected: (): Record<string, string> =>
      Object.fromEntries([...used].map((id) => [id, checks.get(id) ?? ''])),
  }
}
