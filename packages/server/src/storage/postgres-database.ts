import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { createKysely } from './create-kysely.ts'
import { createListeners } from './create-listeners.ts'
import type { DatabaseOptions, TransactionOptions } from './database.ts'
import { migrate } from './migrate.ts'
import type { OpenedDatabase } from './monitor-space.ts'
import {
  buildConnectionConfig,
  createToQueryConfig,
  openPool,
  runQuery,
  type ToQueryConfig,
} from './postgres-pool.ts'
import { preparePostgresQuery } from './prepare-postgres-query.ts'
import { isConflict, StorageError, toStorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'
import { openTransactionHandle } from './transaction-handle.ts'

/** Opens a pool of PostgreSQL connections as a Database. Connects on first use. */
export async function openPostgres(
  options: DatabaseOptions & { url: string },
): Promise<OpenedDatabase> {
  const pool = openPool(options)
  const toQueryConfig = createToQueryConfig(options.namedStatements ?? true)
  const run = (sql: string, parameters: readonly unknown[]) =>
    runQuery(pool, toQueryConfig(sql, parameters))
  const commitListeners = createListeners()
  const read = createKysely('postgres', (query) => run(query.sql, query.parameters))
  return {
    dialect: 'postgres',
    read,
    readDataVersion: () => undefined,
    async transaction(work, transactionOptions = {}) {
      const result = await runTransaction(pool, toQueryConfig, work, transactionOptions)
      commitListeners.call()
      return result
    },
    onCommit: commitListeners.add,
    prepare: (build, keyTypes) => preparePostgresQuery({ read, run }, build, keyTypes),
    migrate: () => migrateWithLock(options.url),
    truncateLog: () => true,
    healthy: () => acceptsWrites(pool),
    checkIntegrity: async () => {},
    close: () => pool.end(),
  }
}

// An arbitrary number that no other program on the same database uses.
const MIGRATION_LOCK = 7_210_349_115
const HEALTH_TIMEOUT_MS = 2000

/** Migrates in one transaction on a separate connection. Concurrent nodes wait for one another. */
async function migrateWithLock(url: string): Promise<void> {
  // Waiting for the migration of another node may exceed the statement timeout.
  const client = new pg.Client({ ...buildConnectionConfig(url), query_timeout: 0 })
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

/**
 * Runs `work` in a transaction on its own connection. After a conflict or a deadlock it is retried: once, or
 * up to twenty attempts in total if serializable, with at most four seconds of waiting. A serializable transaction is
 * also retried once after a unique violation.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  toQueryConfig: ToQueryConfig,
  work: (trx: Kysely<Tables>) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const isSerializable = options.serializable === true
  const maxAttempts = isSerializable ? MAX_SERIALIZABLE_ATTEMPTS : 2
  let canRetryViolation = isSerializable
  for (let count = 1; ; count += 1) {
    try {
      return await tryTransaction(pool, toQueryConfig, work, options)
    } catch (error) {
      // PostgreSQL may report a conflict as a unique violation: of two concurrent transactions that insert the same
      // value although both found it absent. The retry sees the value.
      const isRetryable = isConflict(error) || (canRetryViolation && isUniqueViolation(error))
      if (!isRetryable || count === maxAttempts) throw error
      if (!isConflict(error)) canRetryViolation = false
      await sleep(Math.random() * Math.min(10 * 2 ** count, MAX_RETRY_DELAY_MS))
    }
  }
}

/**
 * PostgreSQL tracks the reads of serializable transactions by page, and by table while tables are small. Concurrent
 * transactions therefore conflict although they touch different rows: of fifty, only a few succeed per attempt.
 */
const MAX_SERIALIZABLE_ATTEMPTS = 20
const MAX_RETRY_DELAY_MS = 200

function isUniqueViolation(error: unknown): boolean {
  return error instanceof StorageError && error.kind === 'unique'
}

async function tryTransaction<T>(
  pool: pg.Pool,
  toQueryConfig: ToQueryConfig,
  work: (trx: Kysely<Tables>) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await connect(pool)
  const handle = openTransactionHandle('postgres', (query) =>
    runQuery(client, toQueryConfig(query.sql, query.parameters)),
  )
  let isBroken = false
  try {
    await runQuery(client, { text: options.serializable ? BEGIN_SERIALIZABLE : BEGIN })
    const value = await runAndFinish(handle.finish, () => work(handle.trx))
    await runQuery(client, { text: 'COMMIT' })
    return value
  } catch (error) {
    isBroken = await rollback(client, error)
    throw error
  } finally {
    // PostgreSQL rolls back the transaction of a dropped connection.
    client.release(isBroken)
  }
}

// Connections are read-only outside of transactions.
const BEGIN = 'BEGIN READ WRITE'
const BEGIN_SERIALIZABLE = 'BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE'

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toStorageError(error)
  }
}

/** Finishes the handle however the work ends. An error of the work takes precedence. */
async function runAndFinish<T>(finish: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    finish()
  }
}

/** Whether the connection is broken. */
async function rollback(client: pg.PoolClient, error: unknown): Promise<boolean> {
  const isUnavailable = error instanceof StorageError && error.kind === 'unavailable'
  if (isUnavailable && !isConflict(error)) return true
  try {
    await runQuery(client, { text: 'ROLLBACK' })
    return false
  } catch {
    return true
  }
}
