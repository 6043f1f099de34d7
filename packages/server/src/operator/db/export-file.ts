import { createReadStream } from 'node:fs'
import { createTableHash } from '../../storage/transfer/transfer-row.ts'
import type { TransferTable } from '../../storage/transfer/transfer-source.ts'

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
    else if ('table' in mark && table === undefined)
      table = { name: String(mark.table), columns: mark.columns as string[], start: end }
    else if ('hash' in mark && table !== undefined) {
      const { count: rows } = hash
      if (mark.hash !== hash.digest() || mark.rows !== rows) throw damaged(table.start)
      tables.push({ ...table, end: start, rows, hash: hash.digest() })
      hash = createTableHash()
      table = undefined
    } else if ('counters' in mark && table === undefined) trailer = mark as unknown as ExportTrailer
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
  for await (const chunk of createReadStream(file, {
    start: from,
    end: to - 1,
    highWaterMark: 1 << 20,
  })) {
    let rest = chunk as Buffer
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
      const bytes = Buffer.concat([...parts, rest.subarray(0, at)])
      const end = start + bytes.length + 1
      yield { line: bytes.toString('utf8'), start, end }
      start = end
      parts = []
      rest = rest.subarray(at + 1)
    }
    if (rest.length > 0) parts.push(rest)
  }
  if (parts.length > 0) throw new ExportFileError('The file ends in the middle of a line.')
}

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
  if (mark.linchpinExport !== 1) throw notAnExport()
  return mark as unknown as ExportHeader
}

function notAnExport(): ExportFileError {
  return new ExportFileError('The file is not an export of this version of Linchpin.')
}

function damaged(byte: number): ExportFileError {
  return new ExportFileError(
    `The file is damaged after byte ${byte}: its hashes differ. Copy it again.`,
  )
}
