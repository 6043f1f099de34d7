import type { Compilable, CompiledQuery, Expression, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from './tables.ts'

/** Stands for a value in a hot query: `param('id')`. */
export type Param<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>

/** Builds a hot query once; `param` stands for the values that come with each call. */
export type BuildPreparedQuery<P, R> = (db: Kysely<Tables>, param: Param<P>) => Compilable<R>

/** A read that was compiled once and runs straight on the driver. It sees committed data only. */
export interface PreparedQuery<P, R> {
  /** The first row, or undefined. */
  first(params: P): Promise<R | undefined>
  /** All rows. */
  all(params: P): Promise<R[]>
}

/** SQL text, and the values it takes from the parameters of a call, in its order. */
export interface CompiledPreparedQuery<P> {
  sql: string
  values(params: P): unknown[]
}

/** Compiles a hot query for the dialect of `db`. Literal values in the query stay as they are. */
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
