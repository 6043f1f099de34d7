import assert from 'node:assert/strict'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import { UNVERIFIED, type WithChecksum } from '../row-checksum.ts'
import type { Tables } from '../tables.ts'

type Row<Name extends keyof Tables> = WithChecksum<Selectable<Tables[Name]>>

/**
 * Changes rows past the stores: with its trigger as another program does, without it as a disk does. A `row_checksum` of null
 * is that of a row that is not verified, wherever the table has its checksums.
 */
export function createRowChanger(database: Database) {
  return {
    async find<Name extends keyof Tables>(
      table: Name,
      key: string,
      id: string,
    ): Promise<Row<Name>> {
      const storedIn = getChecksumTable(table)
      const checksum =
        storedIn === undefined
          ? sql``
          : sql`, (select nullif(row_checksum, ${sql.lit(UNVERIFIED)}) from ${sql.table(storedIn)}
              where ${sql.ref(key)} = ${id}) as row_checksum`
      const { rows } = await sql<Row<Name>>`
        select ${sql.table(table)}.*${checksum} from ${sql.table(table)}
        where ${sql.ref(key)} = ${id}`.execute(database.read)
      const [row] = rows
      assert.ok(row)
      return row
    },

    async update<Name extends keyof Tables>(
      table: Name,
      key: string,
      id: string,
      change: Partial<Row<Name>>,
    ): Promise<void> {
      const { row_checksum, ...columns } = change
      const storedIn = getChecksumTable(table)
      const set = async (name: string, values: object) => {
        const columns = Object.entries(values).map(
          ([column, value]) => sql`${sql.ref(column)} = ${value}`,
        )
        if (columns.length > 0)
          await database.transaction(async (trx) => {
            await sql`update ${sql.table(name)} set ${sql.join(columns)}
              where ${sql.ref(key)} = ${id}`.execute(trx)
          })
      }
      await set(table, storedIn === undefined ? change : columns)
      if (storedIn !== undefined && row_checksum !== undefined)
        await set(storedIn, { row_checksum: row_checksum ?? UNVERIFIED })
    },

    async withoutTrigger(table: keyof Tables, name = getTrigger(table)): Promise<void> {
      const on = database.dialect === 'postgres' ? sql`on ${sql.table(table)}` : sql``
      await database.transaction(async (trx) => {
        await sql`drop trigger ${sql.ref(name)} ${on}`.execute(trx)
      })
    },
  }
}

export type RowChanger = ReturnType<typeof createRowChanger>

const getTrigger = (table: keyof Tables) =>
  CHECKED_TABLES.has(table) ? `${table}_checksum_update` : `${table}_clear_checksum`

/** Versions of definitions have a column instead. */
function getChecksumTable(table: keyof Tables): string | undefined {
  return CHECKED_TABLES.has(table) ? `${table.slice(0, -1)}_checksums` : undefined
}

const CHECKED_TABLES: ReadonlySet<keyof Tables> = new Set([
  ...(['users', 'workspaces', 'tokens', 'links', 'webhook_endpoints'] as const),
  ...(['oauth_apps', 'connect_sessions'] as const),
])
