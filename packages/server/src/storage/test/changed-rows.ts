import assert from 'node:assert/strict'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'

/** Changes rows past the stores: with its trigger as another program does, without it as a disk does. */
export function createRowChanger(database: Database) {
  return {
    async find<Name extends keyof Tables>(
      table: Name,
      key: string,
      id: string,
    ): Promise<Selectable<Tables[Name]>> {
      const { rows } = await sql<Selectable<Tables[Name]>>`
        select * from ${sql.table(table)} where ${sql.ref(key)} = ${id}`.execute(database.read)
      const [row] = rows
      assert.ok(row)
      return row
    },

    async update<Name extends keyof Tables>(
      table: Name,
      key: string,
      id: string,
      change: Partial<Tables[Name]>,
    ): Promise<void> {
      const columns = Object.entries(change).map(
        ([column, value]) => sql`${sql.ref(column)} = ${value}`,
      )
      await database.transaction(async (trx) => {
        await sql`update ${sql.table(table)} set ${sql.join(columns)}
          where ${sql.ref(key)} = ${id}`.execute(trx)
      })
    },

    async withoutTrigger(table: keyof Tables, name = `${table}_clear_checksum`): Promise<void> {
      const on = database.dialect === 'postgres' ? sql`on ${sql.table(table)}` : sql``
      await database.transaction(async (trx) => {
        await sql`drop trigger ${sql.ref(name)} ${on}`.execute(trx)
      })
    },
  }
}

export type RowChanger = ReturnType<typeof createRowChanger>
