import { crc32 } from 'node:zlib'
import type { Selectable } from 'kysely'
import { StorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/** The tables whose rows have a checksum of some columns; null: the row is not verified. */
type CheckedTable = {
  [Table in keyof Tables]: 'row_checksum' extends keyof Tables[Table] ? Table : never
}[keyof Tables]

/** The columns of a row that a checksum covers, and the checksum. */
type Checked<Row, Column extends keyof Row> = Pick<Row, Column> & {
  readonly row_checksum: number | null
}

/** The checksum of the rows of a table: a CRC-32, which finds accidents, not forgery (decisions 072, 080, 081). */
export interface RowChecksum<Row, Column extends keyof Row> {
  /** The checksum of a new row. */
  compute(row: Pick<Row, Column>): number

  /** The checksum of a row that a statement changes. A row that was damaged before remains so. */
  recompute(before: Checked<Row, Column>, after: Pick<Row, Column>): number

  /** Whether a row that has a checksum has changed on the disk. */
  isDamaged(row: Checked<Row, Column>): boolean

  /**
   * Returns a row that is not damaged. An index can lead to another row, so the values that it was searched by are verified
   * in place of its own.
   *
   * @throws {StorageError} `corrupt`
   */
  verify<R extends Checked<Row, Column>>(row: R, searched?: Partial<Row>): R
}

/** The checksum of these columns of a table. The log names a damaged row by its `key`. */
export function defineRowChecksum<
  Table extends CheckedTable,
  Column extends Exclude<keyof Selectable<Tables[Table]>, 'row_checksum'>,
>(
  table: Table,
  key: Column,
  columns: readonly Column[],
): RowChecksum<Selectable<Tables[Table]>, Column> {
  type Row = Selectable<Tables[Table]>
  const compute = (row: Pick<Row, Column>) =>
    crc32(JSON.stringify(columns.map((column) => toText(row[column]))))
  const isDamaged = (row: Checked<Row, Column>) =>
    row.row_checksum !== null && row.row_checksum !== compute(row)
  return {
    compute,
    isDamaged,
    recompute: (before, after) => (isDamaged(before) ? DAMAGED : compute(after)),
    verify(row, searched) {
      const expected = searched === undefined ? row : { ...row, ...searched }
      if (!isDamaged(expected)) return row
      throw new StorageError('corrupt', `The row ${table}/${String(expected[key])} is damaged`)
    },
  }
}

/** No CRC-32 is negative. */
const DAMAGED = -1

function toText(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
