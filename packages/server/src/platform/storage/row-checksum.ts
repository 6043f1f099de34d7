import { crc32 } from 'node:zlib'
import {
  type AliasedRawBuilder,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type Selectable,
  sql,
} from 'kysely'
import { StorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/**
 * A row with its checksum. The checksum is in another table, because nodes of the previous version read all columns of the row by
 * prepared statements, which a new column ends on PostgreSQL.
 */
export type WithChecksum<Row> = Row & {
  /** `UNVERIFIED` if another writer wrote the row; null if it has no checksum: its key has changed on the disk. */
  readonly row_checksum: number | null
}

/** The checksum of the rows of a table: a CRC-32, which finds accidents, not forgery (decisions 072, 080, 081). */
export interface RowChecksum<Row, Column extends keyof Row> {
  /** Where it is stored. */
  readonly location: ChecksumLocation

  /**
   * Selects the checksum beside columns of the table. Not in a statement that locks or writes the row: one that has waited for
   * another transaction sees the row as that has left it, and the checksum as it was before.
   */
  readonly column: AliasedRawBuilder<number | null, 'row_checksum'>

  /** Rows that the transaction has locked or written, with their checksums. */
  addTo<R extends Pick<Row, Column>>(
    trx: Kysely<Tables>,
    rows: readonly R[],
  ): Promise<WithChecksum<R>[]>

  /** Stores the checksum of a row that the transaction has written. */
  save(trx: Kysely<Tables>, row: Pick<Row, Column>): Promise<void>

  /** The same for a row that a statement changes without verifying it: one that was damaged before remains so. */
  saveChange(
    trx: Kysely<Tables>,
    before: WithChecksum<Pick<Row, Column>>,
    after: Pick<Row, Column>,
  ): Promise<void>

  /** Whether a row has changed on the disk. */
  isDamaged(row: WithChecksum<Pick<Row, Column>>): boolean

  /**
   * Returns a row that is not damaged. An index can lead to another row, so the values that it was searched by are verified
   * in place of its own.
   *
   * @throws {StorageError} `corrupt`
   */
  verify<R extends WithChecksum<Pick<Row, Column>>>(row: R, searched?: Partial<Row>): R
}

/** A table of checksums, with the same key as the table of the rows. */
export interface ChecksumLocation {
  readonly storedIn: keyof Tables & `${string}_checksums`
  readonly key: string
}

/** What a checksum covers, and where it is stored. The log names a damaged row by its `key`. */
interface Coverage<Table extends keyof Tables, Column> extends ChecksumLocation {
  readonly table: Table
  readonly key: Column & string
  readonly columns: readonly Column[]
}

/** The checksum of some columns of a table. */
export function defineRowChecksum<
  Table extends keyof Tables,
  Column extends keyof Selectable<Tables[Table]>,
>({
  table,
  key,
  columns,
  storedIn,
}: Coverage<Table, Column>): RowChecksum<Selectable<Tables[Table]>, Column> {
  type Row = Pick<Selectable<Tables[Table]>, Column>
  const compute = (row: Row) => crc32(JSON.stringify(columns.map((name) => toText(row[name]))))
  const isDamaged = (row: WithChecksum<Row>) =>
    row.row_checksum !== UNVERIFIED && row.row_checksum !== compute(row)
  const store = async (trx: Kysely<Tables>, row: Row, checksum: number) => {
    await sql`insert into ${sql.table(storedIn)} (${sql.ref(key)}, row_checksum)
      values (${row[key]}, ${checksum})
      on conflict (${sql.ref(key)}) do update set row_checksum = excluded.row_checksum`.execute(trx)
  }
  const isOfRow = sql`${sql.ref(`stored.${key}`)} = ${sql.ref(`${table}.${key}`)}`
  return {
    location: { storedIn, key },
    column: sql<
      number | null
    >`(select row_checksum from ${sql.table(storedIn)} as stored where ${isOfRow})`.as(
      'row_checksum',
    ),
    async addTo(trx, rows) {
      if (rows.length === 0) return []
      const keys = JSON.stringify(rows.map((row) => row[key]))
      const found = await sql<{ id: unknown; row_checksum: number }>`
        select ${sql.ref(key)} as id, row_checksum from ${sql.table(storedIn)}
        where ${sql.ref(key)} in (${selectElements(trx, keys)})`.execute(trx)
      const checksums = new Map(found.rows.map((row) => [row.id, row.row_checksum]))
      return rows.map((row) => ({ ...row, row_checksum: checksums.get(row[key]) ?? null }))
    },
    save: (trx, row) => store(trx, row, compute(row)),
    saveChange: (trx, before, after) =>
      store(trx, after, isDamaged(before) ? DAMAGED : compute(after)),
    isDamaged,
    verify(row, searched) {
      const expected = searched === undefined ? row : { ...row, ...searched }
      if (!isDamaged(expected)) return row
      throw new StorageError('corrupt', `The row ${table}/${String(expected[key])} is damaged`)
    },
  }
}

/** Of a row that a version without checksums, or another program, has written. As in the triggers of migration 0047. */
export const UNVERIFIED = -2

/** Of a row that was damaged when it was changed. No CRC-32 is negative. */
const DAMAGED = -1

/** The elements of a JSON array of texts. */
function selectElements(db: Kysely<Tables>, json: string): RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof PostgresAdapter
    ? sql`select json_array_elements_text(${json}::json)`
    : sql`select value from json_each(${json})`
}

function toText(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
