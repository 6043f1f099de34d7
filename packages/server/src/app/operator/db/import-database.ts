import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError } from '../../../platform/config/config.ts'
import { listMigrationNames } from '../../../platform/storage/migrate.ts'
import { StorageVersionError } from '../../../platform/storage/storage-error.ts'
import {
  openTransferSource,
  openTransferTarget,
} from '../../../platform/storage/transfer/open-transfer.ts'
import {
  createTableHash,
  decodeRow,
  encodeRow,
  type TransferRow,
  type TransferSource,
  type TransferTarget,
} from '../../../platform/storage/transfer/transfer-source.ts'
import { loadOrCreateKeyFile } from '../../../platform/vault/key-ring.ts'
import { assertOpensData } from '../../../platform/vault/vault.ts'
import type { Config } from '../../start/environment.ts'
import { locateDatabase, openConfiguredDatabase, openKeyRing } from '../../start/open-services.ts'
import { type OperatorContext, OperatorError } from '../operator-command.ts'
import {
  checkExportFile,
  describeTable,
  type ExportContent,
  type ExportedTable,
  ExportFileError,
  findExportFile,
  readLines,
  type TableReport,
} from './export-database.ts'

/** The target of an import, which only this process uses. */
export interface ImportDeps {
  readonly target: TransferTarget
  /** Opens the target for reading. */
  readonly openSource: () => Promise<TransferSource>
  /** Creates the schema in an empty database. */
  readonly migrate: () => Promise<void>
  readonly onTable: (report: TableReport) => void
}

/** The target has data of its own, or half of another import. */
export class TargetInUseError extends Error {}

/**
 * Fills an empty database with a checked export, or continues to. Until everything is there and every hash is equal, the
 * database cannot be used.
 *
 * @throws {StorageVersionError} if the export is of another version
 * @throws {TargetInUseError}
 */
export async function importDatabase(
  file: string,
  content: ExportContent,
  deps: ImportDeps,
): Promise<void> {
  const { header, tables, trailer } = content
  assertSameVersion(header.migrations)
  const { target } = deps
  const state = (await target.readState()) ?? (await begin(content, deps))
  if (state.exportId !== header.id)
    throw new TargetInUseError(
      'Another export was being imported into this database. Continue with that one, or start with a new database.',
    )
  const done = Math.max(
    0,
    tables.findIndex(({ name }) => name === state.table),
  )
  for (const [index, table] of tables.slice(done).entries())
    await importTable(file, header.id, table, index === 0 ? state.offset : table.start, target)
  await target.restore()
  await target.setCounters(trailer.counters)
  await compare(tables, deps)
  await target.finish()
}

function assertSameVersion(migrations: readonly string[]): void {
  const own = listMigrationNames()
  if (migrations.join() === own.join()) return
  throw new StorageVersionError(
    `The export has the schema ${migrations.at(-1)}, and this version of Linchpin has ${own.at(-1)}. Import with the version that exported, then upgrade.`,
  )
}

async function begin({ header, tables }: ExportContent, deps: ImportDeps) {
  await deps.migrate()
  await withSource(deps, async (source) => {
    const own = await source.listTables()
    const describe = (all: readonly { name: string; columns: readonly string[] }[]) =>
      JSON.stringify(all.map(({ name, columns }) => [name, columns]))
    if (describe(own) !== describe(tables))
      throw new ExportFileError('The export and this database have other tables or columns.')
    for (const table of own)
      for await (const _ of source.readRows(table))
        throw new TargetInUseError(
          `The database is not empty: ${table.name} has rows. Import into a new one.`,
        )
  })
  const [first] = tables
  const state = { exportId: header.id, table: first?.name ?? '', offset: first?.start ?? 0 }
  await deps.target.begin(state)
  return state
}

async function importTable(
  file: string,
  exportId: string,
  table: ExportedTable,
  from: number,
  target: TransferTarget,
): Promise<void> {
  let rows: TransferRow[] = []
  let bytes = 0
  let offset = from
  const insert = async () => {
    await target.insert(table, rows, { exportId, table: table.name, offset })
    rows = []
    bytes = 0
  }
  for await (const { line, end } of readLines(file, from, table.end)) {
    rows.push(parseRow(line, table, end))
    bytes += line.length
    offset = end
    if (rows.length >= BATCH_ROWS || bytes >= BATCH_BYTES) await insert()
  }
  if (rows.length > 0) await insert()
}

/** @throws {ExportFileError} */
function parseRow(line: string, { name, columns }: ExportedTable, end: number): TransferRow {
  try {
    const row = decodeRow(line)
    if (row.length === columns.length) return row
  } catch {
    // The error below says where.
  }
  throw new ExportFileError(`The row that ends at byte ${end} is not one of ${name}.`)
}

const BATCH_ROWS = 2_000
const BATCH_BYTES = 4_000_000

/** Reads everything back. */
async function compare(tables: readonly ExportedTable[], deps: ImportDeps): Promise<void> {
  await withSource(deps, async (source) => {
    for (const table of tables) {
      const hash = createTableHash()
      for await (const rows of source.readRows(table))
        for (const row of rows) hash.add(encodeRow(row))
      const report = { name: table.name, rows: hash.count, hash: hash.digest() }
      if (report.rows !== table.rows || report.hash !== table.hash)
        throw new Error(
          `The rows of ${table.name} are not those of the export (${report.rows} instead of ${table.rows} rows, hash ${report.hash} instead of ${table.hash}). The database cannot be used; start with a new one.`,
        )
      deps.onTable(report)
    }
  })
}

async function withSource(
  { openSource }: ImportDeps,
  work: (source: TransferSource) => Promise<void>,
): Promise<void> {
  const source = await openSource()
  try {
    await work(source)
  } finally {
    await source.close()
  }
}

/**
 * Imports an export into an empty database, which nothing else uses, or continues to.
 *
 * @returns the exit code: 65 if the export or the target cannot be used, 66 if there is no export
 */
export async function importDatabaseCommand(
  args: readonly string[],
  { loadConfig, openOptions, output }: OperatorContext,
): Promise<number> {
  const file = findExportFile(args)
  if (!existsSync(file)) throw new OperatorError(66, `there is no file ${file}.`)
  const config = loadConfig()
  const location = locateDatabase(config)
  try {
    output.log(`Checking ${file}.`)
    const content = await checkExportFile(file)
    const keys = await loadKeys(config, location.file)
    assertOpensData(keys, content.trailer.keys)
    if (config.databaseUrl === undefined)
      await mkdir(path.dirname(location.file), { recursive: true, mode: 0o700 })
    const { onFatal } = openOptions
    const database = await openConfiguredDatabase(config, { exclusive: true, onFatal })
    const target = await openTransferTarget(location)
    try {
      await importDatabase(file, content, {
        target,
        openSource: () => openTransferSource(location),
        migrate: () => database.migrate(),
        onTable: (report) => output.log(`${describeTable(report)}  equal`),
      })
    } finally {
      await target.close()
      await database.close()
    }
  } catch (error) {
    if (!(error instanceof ExportFileError || error instanceof TargetInUseError)) throw error
    output.error(`${file} cannot be imported: ${error.message}`)
    return 65
  }
  output.log('Imported. Every table has the rows of the export.')
  return 0
}

/** The key ring of the target. A new key could not open what is imported, so none is created. */
async function loadKeys(config: Config, databaseFile: string) {
  const keys = await openKeyRing(config)
  if (keys !== undefined) return keys
  const keyFile = path.join(path.dirname(databaseFile), 'keys')
  if (!existsSync(keyFile))
    throw new ConfigError([
      `LINCHPIN_KEYS: is not set, and there is no key file ${keyFile}. Copy the key ring of the exported installation first.`,
    ])
  return (await loadOrCreateKeyFile(keyFile)).keys
}
