import type { Expression, Kysely, QueryResult } from 'kysely'
import { sql } from 'kysely'
import { createKeyBatch } from './key-batch.ts'
import type { ReadKind } from './postgres/read-limits.ts'
import {
  type BuildPreparedQuery,
  compilePreparedQuery,
  type KeyTypes,
  type PreparedQuery,
} from './prepared-query.ts'
import type { Tables } from './tables.ts'

interface Connection {
  readonly read: Kysely<Tables>
  readonly run: (
    kind: ReadKind,
    sql: string,
    parameters: readonly unknown[],
  ) => Promise<QueryResult<unknown>>
}

/** Compiles a read once. With `keyTypes`, the rows of concurrent calls are read in one statement, except by `all`. */
export function preparePostgresQuery<P, R>(
  { read, run }: Connection,
  build: BuildPreparedQuery<P, R>,
  keyTypes: KeyTypes<P> | undefined,
): PreparedQuery<P, R> {
  const query = compilePreparedQuery(read, build)
  const kind = keyTypes === undefined ? 'list' : 'lookup'
  const all = async (params: P) => (await run(kind, query.sql, query.values(params))).rows as R[]
  const one = async (params: P) => (await all(params))[0]
  const allAside = (_tenant: string, params: P) => all(params)
  if (keyTypes === undefined)
    return { all, allUnordered: all, allAside, first: one, firstDirect: one }
  const batch = compileKeyBatch(read, build, keyTypes)
  const readEach = async (keys: readonly P[]) => {
    const { rows } = await run(kind, batch.sql, batch.values(keys))
    const found = keys.map((): R[] => [])
    for (const row of rows as (R & { key_position: number })[])
      found[row.key_position - 1]?.push(row)
    return found
  }
  const first = createKeyBatch<P, R>({
    one,
    many: async (keys) => (await readEach(keys)).map(([row]) => row),
  })
  const allOfKey = createKeyBatch<P, R[]>({ one: all, many: readEach })
  const allUnordered = async (params: P) => (await allOfKey(params)) ?? []
  return { all, allUnordered, allAside, first, firstDirect: first }
}

/**
 * Compiles the same query for many keys: each parameter is an array with one element for each key, and each row has the
 * `key_position` of its key, counted from 1.
 */
function compileKeyBatch<P, R>(
  read: Kysely<Tables>,
  build: BuildPreparedQuery<P, R>,
  types: KeyTypes<P>,
) {
  const names = Object.keys(types) as (keyof P & string)[]
  const arrays = names.map((name) => sql`${new KeyArray(name)}::${sql.raw(types[name])}[]`)
  const columns = [...names, 'key_position'].map((name) => sql.ref(name))
  // Every query builder is an expression, too.
  const query = build(read, (name) => sql.ref(`batch.${name}`)) as unknown as Expression<unknown>
  const compiled =
    sql`select batch.key_position, found.* from unnest(${sql.join(arrays)}) with ordinality as batch(${sql.join(columns)}) cross join lateral ${query} as found`.compile(
      read,
    )
  return {
    sql: compiled.sql,
    values: (keys: readonly P[]) =>
      compiled.parameters.map((slot) =>
        slot instanceof KeyArray ? keys.map((key) => key[slot.name as keyof P]) : slot,
      ),
  }
}

class KeyArray {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}
