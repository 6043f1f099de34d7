import { createHash } from 'node:crypto'
import { StorageVersionError } from '../storage-error.ts'

/** A table with its columns, both in alphabetical order. */
export interface TransferTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** The statement that reads the rows of a table. */
export function selectRows({ name, columns }: TransferTable): string {
  return `SELECT ${columns.map(quote).join()} FROM ${quote(name)}`
}

/** An identifier of SQL. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** One moment of a database, whatever is written meanwhile. */
export interface TransferSource {
  readonly dialect: 'sqlite' | 'postgres'
  /**
   * The migrations that the database has, in order. Empty if it has no tables.
   *
   * @throws StorageVersionError if it has half of an import
   */
  listMigrations(): Promise<string[]>
  /** Every table except those of the migrations and of imports. */
  listTables(): Promise<TransferTable[]>
  /** The rows of a table in batches of limited size, in any order. */
  readRows(table: TransferTable): AsyncIterable<readonly TransferRow[]>
  /** The last number that each column `table.column` with generated numbers got, also if its row is deleted. */
  readCounters(): Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

/** A migrated database that is being filled. Only an import uses it. */
export interface TransferTarget {
  /** The state of an import that has not finished. */
  readState(): Promise<ImportState | undefined>
  /** Removes indexes, triggers and foreign keys, and stores how to restore them, with the state, in one transaction. */
  begin(state: ImportState): Promise<void>
  /** Inserts rows and stores the state, in one durable transaction. */
  insert(table: TransferTable, rows: readonly TransferRow[], state: ImportState): Promise<void>
  /** Restores what `begin` removed, step by step; resumes. Foreign keys are checked. */
  restore(): Promise<void>
  /** Continues generated numbers after these. */
  setCounters(counters: Readonly<Record<string, number>>): Promise<void>
  /** Forgets the state: the database can be used. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** How far an import got. */
export interface ImportState {
  /** The id of the export. */
  readonly exportId: string
  /** The table to continue with. */
  readonly table: string
  /** The byte of the file to continue at. */
  readonly offset: number
}

/** The table that exists in a database whose import has not finished. */
export const IMPORT_TABLE = 'linchpin_import'

/** @throws StorageVersionError if one of the tables says that an import has not finished */
export function assertImported(tableNames: readonly string[]): void {
  if (tableNames.includes(IMPORT_TABLE))
    throw new StorageVersionError(
      'An import into this database has not finished. Run `linchpin db import` with the same file again; it continues where it stopped.',
    )
}

/** Tables that belong to a database itself and are not exported. */
export const OWN_TABLES: readonly string[] = [
  'kysely_migration',
  'kysely_migration_lock',
  IMPORT_TABLE,
]

/** A value of a column, the same on both databases. */
export type TransferValue = string | number | null | Uint8Array

/** A row of an export: its values in the order of the table's columns. */
export type TransferRow = readonly TransferValue[]

/** The canonical text of a row: a JSON array without a line break, with bytes as `{"b":base64}`. */
export function encodeRow(row: TransferRow): string {
  return JSON.stringify(row.map(encodeValue))
}

/** Reads the text of `encodeRow`. @throws SyntaxError if it is another text */
export function decodeRow(line: string): TransferRow {
  const values: unknown = JSON.parse(line)
  if (!Array.isArray(values)) throw new SyntaxError('A row is not an array')
  return values.map(decodeValue)
}

function encodeValue(value: TransferValue): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`A number cannot be exported exactly: ${value}`)
  if (!(value instanceof Uint8Array)) return value
  return { b: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
}

function decodeValue(value: unknown): TransferValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'object' && 'b' in value && typeof value.b === 'string')
    return Buffer.from(value.b, 'base64')
  throw new SyntaxError('A value of a row is neither text, a number, bytes nor null')
}

/** The hash of the rows of a table, in whichever order a database returns them. */
export interface TableHash {
  add(line: string): void
  readonly count: number
  /** 64 hexadecimal digits. */
  digest(): string
}

/** Adds up the SHA-256 of every row, modulo 2^256: a lost, changed or repeated row changes the sum. */
export function createTableHash(): TableHash {
  let sum = 0n
  let count = 0
  return {
    add(line) {
      sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`)
      count += 1
      if (count % 1024 === 0) sum &= MASK
    },
    get count() {
      return count
    },
    digest: () => (sum & MASK).toString(16).padStart(64, '0'),
  }
}

const MASK = (1n << 256n) - 1n
