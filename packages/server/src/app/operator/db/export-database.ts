import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import {
  assertChecksum,
  assertNotRestoring,
  writeNewFile,
} from '../../../platform/storage/database-file.ts'
import { listMigrationNames } from '../../../platform/storage/migrate.ts'
import { StorageVersionError } from '../../../platform/storage/storage-error.ts'
import { openTransferSource } from '../../../platform/storage/transfer/open-transfer.ts'
import {
  createTableHash,
  encodeRow,
  type TransferRow,
  type TransferSource,
  type TransferTable,
} from '../../../platform/storage/transfer/transfer-source.ts'
import { hasFile, locateDatabase } from '../../start/open-services.ts'
import { type OperatorContext, OperatorError, OperatorUsageError } from '../operator-command.ts'

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

/**
 * Exports the database beside a service that may be running. Needs no key.
 *
 * @returns the exit code: 66 if there is no database, 73 if the file exists or cannot be written
 */
export async function exportDatabaseCommand(
  args: readonly string[],
  { loadConfig, output }: OperatorContext,
): Promise<number> {
  const file = findExportFile(args)
  if (existsSync(file)) throw new OperatorError(73, `${file} exists already. Choose another name.`)
  const config = loadConfig()
  const location = locateDatabase(config)
  if (location.url === undefined) {
    if (!hasFile(location.file))
      throw new OperatorError(66, `there is no database at ${location.file}.`)
    assertNotRestoring(location.file)
    assertChecksum(location.file)
  }
  const source = await openTransferSource(location)
  try {
    await exportDatabase(source, file, (report) => output.log(describeTable(report))).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOSPC')
          throw new OperatorError(73, `there is no space left for ${file}.`, error)
        if (error.path === undefined) throw error
        throw new OperatorError(73, `the file cannot be created: ${error.message}.`, error)
      },
    )
  } finally {
    await source.close()
  }
  output.log(`Exported to ${file}. It has secrets, sealed: import it under the same key ring.`)
  return 0
}

/** The file of the only argument; a folder has one export, with this name. */
export function findExportFile(args: readonly string[]): string {
  const [argument, ...others] = args
  if (argument === undefined || others.length > 0 || argument.startsWith('-'))
    throw new OperatorUsageError('it takes one file or folder')
  const isFolder = statSync(argument, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isFolder ? path.join(argument, 'linchpin.export') : argument
}

export function describeTable({ name, rows, hash }: TableReport): string {
  return `${name.padEnd(20)} ${String(rows).padStart(9)} rows  ${hash}`
}

/** The first line of an export. */
interface ExportHeader {
  /** The version of the format. */
  readonly linchpinExport: 1
  readonly id: string
  readonly from: 'sqlite' | 'postgres'
  /** The migrations of the schema: only the same can be imported. */
  readonly migrations: readonly string[]
}

/** The last line of an export: without it, the file is not complete. */
interface ExportTrailer {
  readonly counters: Readonly<Record<string, number>>
  /** The keys of the key ring that its data keys need, each with its check value in base64. */
  readonly keys: Readonly<Record<string, string>>
}

/** A table in an export: where its rows begin and end, their number and their hash. */
export interface ExportedTable extends TransferTable {
  readonly start: number
  readonly end: number
  readonly rows: number
  readonly hash: string
}

/** What a complete file contains. */
export interface ExportContent {
  readonly header: ExportHeader
  readonly tables: readonly ExportedTable[]
  readonly trailer: ExportTrailer
}

/** A file that is not a complete, undamaged export. */
export class ExportFileError extends Error {}

/** Reads a whole export and compares every hash. @throws {ExportFileError} */
export async function checkExportFile(file: string): Promise<ExportContent> {
  const tables: ExportedTable[] = []
  let header: ExportHeader | undefined
  let trailer: ExportTrailer | undefined
  let table: (TransferTable & { start: number }) | undefined
  let hash = createTableHash()
  for await (const { line, start, end } of readLines(file, 0)) {
    if (line.startsWith('[')) {
      if (table === undefined) throw damaged(start)
      hash.add(line)
      continue
    }
    const mark = parseMark(line, start)
    if (header === undefined) header = parseHeader(mark)
    else if (isTableMark(mark) && table === undefined)
      table = { name: mark.table, columns: mark.columns, start: end }
    else if ('hash' in mark && table !== undefined) {
      const { count: rows } = hash
      if (mark.hash !== hash.digest() || mark.rows !== rows) throw damaged(table.start)
      tables.push({ ...table, end: start, rows, hash: hash.digest() })
      hash = createTableHash()
      table = undefined
    } else if (isTrailer(mark) && table === undefined) trailer = mark
    else throw damaged(start)
  }
  if (header === undefined || trailer === undefined)
    throw new ExportFileError('The file is not complete: export again, or copy all of it.')
  return { header, tables, trailer }
}

/** The lines of a part of the file, with their bytes. `end` is the byte after the line break. */
export async function* readLines(
  file: string,
  from: number,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ line: string; start: number; end: number }> {
  if (from >= to) return
  let start = from
  let parts: Buffer[] = []
  let pending = 0
  for await (const chunk of createReadStream(file, {
    start: from,
    end: to - 1,
    highWaterMark: 1 << 20,
  })) {
    let rest = chunk as Buffer
    pending += rest.length
    if (pending > MAX_LINE_BYTES)
      throw new ExportFileError(`No line of an export is as long as the one at byte ${start}.`)
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
      const bytes = Buffer.concat([...parts, rest.subarray(0, at)])
      const end = start + bytes.length + 1
      yield { line: bytes.toString('utf8'), start, end }
      start = end
      parts = []
      rest = rest.subarray(at + 1)
      pending = rest.length
    }
    if (rest.length > 0) parts.push(rest)
  }
  if (parts.length > 0) throw new ExportFileError('The file ends in the middle of a line.')
}

/** The longest rows have a bundle, of 5 MB. */
const MAX_LINE_BYTES = 64_000_000

function parseMark(line: string, start: number): Record<string, unknown> {
  try {
    const mark: unknown = JSON.parse(line)
    if (typeof mark === 'object' && mark !== null) return mark as Record<string, unknown>
  } catch {
    // The error below says where.
  }
  throw start === 0 ? notAnExport() : damaged(start)
}

function parseHeader(mark: Record<string, unknown>): ExportHeader {
  const { linchpinExport, id, migrations } = mark
  if (linchpinExport !== 1 || typeof id !== 'string' || !isTexts(migrations)) throw notAnExport()
  return mark as unknown as ExportHeader
}

function isTableMark(mark: object): mark is { table: string; columns: readonly string[] } {
  return (
    'table' in mark && typeof mark.table === 'string' && 'columns' in mark && isTexts(mark.columns)
  )
}

function isTrailer(mark: object): mark is ExportTrailer {
  if (!('counters' in mark) || !('keys' in mark)) return false
  const { counters, keys } = mark
  return (
    isMap(counters) &&
    Object.values(counters).every(Number.isSafeInteger) &&
    isMap(keys) &&
    isTexts(Object.values(keys))
  )
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function notAnExport(): ExportFileError {
  return new ExportFileError('The file is not an export of this version of Linchpin.')
}

function damaged(byte: number): ExportFileError {
  return new ExportFileError(
    `The file is damaged after byte ${byte}: its hashes differ. Copy it again.`,
  )
}
