import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Rows as an item of FROM: one parameter, whatever their number, so that the statement is always the same. Each row has
 * the columns of `types`.
 */
export function jsonRows<T extends object>(
  { dialect }: Pick<Database, 'dialect'>,
  types: Readonly<Record<keyof T & string, 'text' | 'bigint'>>,
  rows: readonly T[],
  alias: string,
): RawBuilder<T> {
  const names = Object.keys(types) as (keyof T & string)[]
  const json = JSON.stringify(rows)
  const as = sql.ref(alias)
  if (dialect === 'postgres') {
    const columns = names.map((name) => sql`${sql.ref(name)} ${sql.raw(types[name])}`)
    return sql<T>`json_to_recordset(${json}::json) as ${as} (${sql.join(columns)})`
  }
  const columns = names.map((name) => sql`value ->> ${sql.lit(`$.${name}`)} as ${sql.ref(name)}`)
  return sql<T>`(select ${sql.join(columns)} from json_each(${json})) as ${as}`
}
