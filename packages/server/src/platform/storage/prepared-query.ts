import type { Compilable, CompiledQuery, Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from './tables.ts'

/** A parameter of a prepared query: `param('id')`. */
export type Param<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>

/** Builds a prepared query once; `param` marks the values that each call passes. */
export type BuildPreparedQuery<P, R> = (db: Kysely<Tables>, param: Param<P>) => Compilable<R>

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** A read that is compiled once and runs directly on the driver. It sees committed data only. */
export interface PreparedQuery<P, R> {
  /** The first row, or undefined. */
  first(params: P): Promise<R | undefined>
  /** The first row, without a promise on SQLite: a promise costs the most frequent reads more than the statement. */
  firstDirect(params: P): MaybePromise<R | undefined>
  /** All rows. */
  all(params: P): Promise<R[]>
  /** All rows in any order: with key types, PostgreSQL reads those of concurrent calls in one statement. */
  allUnordered(params: P): Promise<R[]>
  /** The same, for reads that take long: on SQLite on another thread, in turns with those of other tenants. */
  allAside(tenant: string, params: P): Promise<R[]>
}

/** The SQL text, and the values of its placeholders for the parameters of a call. */
export interface CompiledPreparedQuery<P> {
  sql: string
  values(params: P): unknown[]
}

/** The PostgreSQL types of the parameters of a query that finds few rows by its key. */
export type KeyTypes<P> = { readonly [K in keyof P & string]: 'text' | 'bytea' }

/** Compiles a prepared query for the dialect of `db`. Literal values in the query are constants. */
export function compilePreparedQuery<P, R>(
  db: Kysely<Tables>,
  build: BuildPreparedQuery<P, R>,
): CompiledPreparedQuery<P> {
  const param = <K extends keyof P & string>(name: K) => sql<P[K]>`${new Placeholder(name)}`
  const compiled: CompiledQuery = build(db, param).compile()
  const slots = compiled.parameters
  return {
    sql: compiled.sql,
    values: (params) =>
      slots.map((slot) => (slot instanceof Placeholder ? params[slot.name as keyof P] : slot)),
  }
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}
