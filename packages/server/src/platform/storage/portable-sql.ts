import {
  type Expression,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

/** Whether a connection or a transaction is one of PostgreSQL, for stores that have nothing else. */
export const isPostgres = (db: Kysely<Tables>) =>
  db.getExecutor().adapter instanceof PostgresAdapter

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

/** A column of any table, with or without the name of its table. */
type Column = {
  [T in keyof Tables & string]: (keyof Tables[T] & string) | `${T}.${keyof Tables[T] & string}`
}[keyof Tables & string]

/** Whether a row comes after the last one of the page before, in a list that is ordered by a time and an ID. */
export function isAfter(
  [time, id]: readonly [time: Column, id: Column],
  last: {
    readonly createdAt: number | Expression<unknown>
    readonly id: string | Expression<unknown>
  },
  direction: 'asc' | 'desc' = 'asc',
): RawBuilder<SqlBool> {
  const columns = sql`(${sql.ref(time)}, ${sql.ref(id)})`
  const position = sql`(${last.createdAt}, ${last.id})`
  return direction === 'asc'
    ? sql<SqlBool>`${columns} > ${position}`
    : sql<SqlBool>`${columns} < ${position}`
}

/** Whether a query has at least so many rows, of which it reads no more. */
export async function hasAtLeast<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  count: number,
): Promise<boolean> {
  const last = await query
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst()
  return last !== undefined
}

/** The clock that all nodes share, as expressions for statements. Epoch milliseconds. */
export interface SharedClock {
  /** The time at which the expression is evaluated. */
  now(): RawBuilder<number>
  /** The time at which the statement started. It is constant in a statement, so an index can be searched for it. */
  statementTime(): RawBuilder<number>
}

/**
 * On PostgreSQL the clock of the database, because the clocks of the nodes differ; on SQLite, which one process uses, the
 * clock of that process.
 */
export function createSharedClock(database: Database, now: () => number): SharedClock {
  if (database.dialect === 'postgres')
    return {
      now: () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
      statementTime: () => sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    }
  const processTime = () => sql<number>`cast(${now()} as integer)`
  return { now: processTime, statementTime: processTime }
}

/** Splits a list of values into chunks that fit the parameter limit of one statement. */
export function splitIntoChunks<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / MAX_VALUES) }, (_, index) =>
    values.slice(index * MAX_VALUES, (index + 1) * MAX_VALUES),
  )
}

const MAX_VALUES = 500
