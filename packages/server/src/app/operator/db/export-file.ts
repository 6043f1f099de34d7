import { createReadStream } from 'node:fs'
import { createTableHash } from '../../../platform/storage/transfer/transfer-row.ts'
import type { TransferTable } from '../../../platform/storage/transfer/transfer-source.ts'

/** The first line of an export. */
export interface ExportHeader {
  /** The version of the format. */
  readonly linchpinExport: 1
  readonly id: string
  readonly from: 'sqlite' | 'postgres'
  /** The migrations of the schema: only the same can be imported. */
  readonly migrations: readonly string[]
}

/** The last line of an export: without it, the file is not complete. */
export interface ExportTrailer {
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
