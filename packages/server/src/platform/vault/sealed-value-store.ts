import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { SealedColumn, SealedRow } from './sealed-columns.ts'

/** Where to read on, and of which workspace. */
export interface SealedValuesFilter {
  readonly after: SealedRow | undefined
  readonly limit: number
  readonly workspaceId?: Id<'wsp'> | undefined
}

/** Reads and replaces the values of any sealed column, in the order of the primary keys. */
export function createSealedValueStore(database: Database) {
  return {
    /** Rows with a value: the primary key, the workspace and the value as `sealed`. */
    async list(column: SealedColumn, filter: SealedValuesFilter): Promise<SealedRow[]> {
      const { after, limit, workspaceId } = filter
      const { table, column: name, key } = column
      const columns = new Set([...key, ...(hasWorkspace(column) ? ['workspace_id'] : [])])
      const conditions = [sql`${sql.ref(name)} is not null`]
      if (after !== undefined) conditions.push(isAfter(key, after))
      if (workspaceId !== undefined && hasWorkspace(column))
        conditions.push(sql`workspace_id = ${workspaceId}`)
      const { rows } = await sql<SealedRow>`
        select ${sql.join([...columns].map((each) => sql.ref(each)))}, ${sql.ref(name)} as sealed
        from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}
        order by ${sql.join(key.map((each) => sql.ref(each)))} limit ${limit}`.execute(
        database.read,
      )
      return rows
    },

    /** Replaces a value, unless it has just been replaced. */
    async replace(
      trx: Transaction,
      { table, column, key }: SealedColumn,
      row: SealedRow,
      sealed: Uint8Array,
    ): Promise<void> {
      const isRow = key.map((each) => sql`${sql.ref(each)} = ${row[each]}`)
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
        where ${sql.join([...isRow, sql`${sql.ref(column)} = ${row.sealed}`], sql` and `)}`.execute(
        trx,
      )
    },
  }
}

export type SealedValueStore = ReturnType<typeof createSealedValueStore>

function hasWorkspace({ table }: SealedColumn): boolean {
  return table !== 'instance_keys'
}

function isAfter(key: readonly string[], after: SealedRow): RawBuilder<unknown> {
  const columns = sql.join(key.map((each) => sql.ref(each)))
  return sql`(${columns}) > (${sql.join(key.map((each) => sql`${after[each]}`))})`
}
