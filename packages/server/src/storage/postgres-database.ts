import pg from 'pg'
import { createKysely } from './create-kysely.ts'
import type { Database, DatabaseOptions } from './database.ts'
import { migrate } from './migrate.ts'
import { connectionConfig, createToQueryConfig, openPool, runQuery } from './postgres-pool.ts'
import { runTransaction } from './postgres-transaction.ts'
import {
  type BuildPreparedQuery,
  compilePreparedQuery,
  type PreparedQuery,
} from './prepared-query.ts'
import { toStorageError } from './to-storage-error.ts'

/** Opens a pool of PostgreSQL connections as a Database. Connects on first use. */
export async function openPostgres(options: DatabaseOptions & { url: string }): Promise<Database> {
  const pool = openPool(options)
  const toQueryConfig = createToQueryConfig(options.namedStatements ?? true)
  const run = (sql: string, parameters: readonly unknown[]) =>
    runQuery(pool, toQueryConfig(sql, parameters))
  const read = createKysely('postgres', (query) => run(query.sql, query.parameters))
  return {
    dialect: 'postgres',
    read,
    transaction: (work, transactionOptions = {}) =>
      runTransaction(pool, toQueryConfig, work, transactionOptions),
    prepare: <P, R>(build: BuildPreparedQuery<P, R>): PreparedQuery<P, R> => {
      const query = compilePreparedQuery(read, build)
      const all = async (params: P) => (await run(query.sql, query.values(params))).rows as R[]
      return { all, first: async (params) => (await all(params))[0] }
    },
    migrate: () => migrateWithLock(options.url),
    healthy: () => acceptsWrites(pool),
    close: () => pool.end(),
  }
}

// An arbitrary number that no other program on the same database uses.
const MIGRATION_LOCK = 7_210_349_115
const HEALTH_TIMEOUT_MS = 2000

/** Migrates in one transaction on a separate connection. Concurrent nodes wait for one another. */
async function migrateWithLock(url: string): Promise<void> {
  // Waiting for the migration of another node may exceed the statement timeout.
  const client = new pg.Client({ ...connectionConfig(url), query_timeout: 0 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await migrate(
      createKysely('postgres', ({ sql, parameters }) =>
        runQuery(client, { text: sql, values: [...parameters] }),
      ),
    )
    await client.query('COMMIT')
  } catch (error) {
    throw toStorageError(error)
  } finally {
    await client.end()
  }
}

async function acceptsWrites(pool: pg.Pool): Promise<boolean> {
  const standbyQuery = { text: 'SELECT pg_is_in_recovery() AS is_standby' }
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, HEALTH_TIMEOUT_MS, false)
  const primaryCheck = runQuery(pool, standbyQuery).then(
    ({ rows }) => (rows[0] as { is_standby: number } | undefined)?.is_standby === 0,
    () => false,
  )
  const result = await Promise.race([primaryCheck, promise])
  clearTimeout(timer)
  return result
}
