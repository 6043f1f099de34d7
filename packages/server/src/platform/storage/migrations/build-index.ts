import type pg from 'pg'
import { runQuery } from '../postgres/postgres-pool.ts'
import type { SchemaIndex } from './schema-migration.ts'

/**
 * Creates an index on PostgreSQL while the table is read and written. PostgreSQL marks an index as invalid until it is complete,
 * so one that is left of an attempt that was killed is dropped first. Must run outside of a transaction.
 */
export async function buildIndex(client: pg.Client, { name, on }: SchemaIndex): Promise<void> {
  const isValid = await readIsValid(client, name)
  if (isValid === true) return
  if (isValid === false) await runQuery(client, { text: `DROP INDEX CONCURRENTLY ${name}` })
  await runQuery(client, { text: `CREATE INDEX CONCURRENTLY ${name} ON ${on}` })
}

/** Undefined if there is no such index. */
async function readIsValid(client: pg.Client, name: string): Promise<boolean | undefined> {
  const { rows } = await runQuery(client, {
    text: `SELECT indisvalid::int AS is_valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE relname = $1 AND relnamespace = current_schema()::regnamespace`,
    values: [name],
  })
  const [row] = rows as { is_valid: number }[]
  return row === undefined ? undefined : row.is_valid === 1
}
