import pg from 'pg'
import { createKysely } from './create-kysely.ts'
import { createListeners } from './create-listeners.ts'
import type { DatabaseOptions } from './database.ts'
import { migrate } from './migrate.ts'
import type { OpenedDatabase } from './monitor-space.ts'
import { acceptsWrites } from './postgres/postgres-health.ts'
import { POSTGRES_DEFAULTS, type PostgresOptions } from './postgres/postgres-options.ts'
import { readInTransaction, runTransaction } from './postgres/postgres-transaction.ts'
import { assertNoTransactionPooler } from './postgres/probe-pooler.ts'
import { createReadLimits, findTable, type ReadKind } from './postgres/read-limits.ts'
import { buildConnectionConfig, createToQueryConfig, openPool, runQuery } from './postgres-pool.ts'
import { preparePostgresQuery } from './prepare-postgres-query.ts'
import { toStorageError } from './storage-error.ts'

/** Opens the pools of PostgreSQL connections as a Database. Connects on first use. */
export async function openPostgres({
  url,
  postgres,
}: DatabaseOptions & { url: string }): Promise<OpenedDatabase> {
  const options = { ...POSTGRES_DEFAULTS, ...postgres }
  const toQueryConfig = createToQueryConfig(!options.pooler)
  const pools = {
    write: openPool(url, options, options.writeConnections),
    read: openPool(url, options, options.readConnections),
    health: openPool(url, options, 1),
  }
  const writes = { pool: pools.write, toQueryConfig, options }
  const reads = { pool: pools.read, toQueryConfig, options }
  const limitRead = createReadLimits(options.readConnections, options.connectTimeoutMs)
  const run = (kind: ReadKind, sql: string, parameters: readonly unknown[]) =>
    limitRead(kind, findTable(sql), () =>
      options.pooler
        ? readInTransaction(reads, sql, parameters)
        : runQuery(reads.pool, toQueryConfig(sql, parameters)),
    )
  const commitListeners = createListeners()
  const read = createKysely('postgres', (query) => run('list', query.sql, query.parameters))
  return {
    dialect: 'postgres',
    read,
    readDataVersion: () => undefined,
    async transaction(work, transactionOptions = {}) {
      const result = await runTransaction(writes, work, transactionOptions)
      commitListeners.call()
      return result
    },
    onCommit: commitListeners.add,
    prepare: (build, keyTypes) => preparePostgresQuery({ read, run }, build, keyTypes),
    migrate: () => migrateWithLock(url, options),
    truncateLog: () => true,
    healthy: () => acceptsWrites(pools.health),
    checkIntegrity: async () => {},
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.end()))
    },
  }
}

// An arbitrary number that no other program on the same database uses.
const MIGRATION_LOCK = 7_210_349_115

/** Migrates in one transaction on a separate connection. Concurrent nodes wait for one another. */
async function migrateWithLock(url: string, options: PostgresOptions): Promise<void> {
  // Waiting for the migration of another node may exceed the statement timeout.
  const client = new pg.Client({
    ...buildConnectionConfig(options.directUrl ?? url, options),
    query_timeout: 0,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    if (!options.pooler) await assertNoTransactionPooler(client, url, options)
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
