import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { TransactionOptions } from './database.ts'
import { runQuery, type ToQueryConfig } from './postgres-pool.ts'
import { StorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'
import { isConflict, toStorageError } from './to-storage-error.ts'
import { openTransactionHandle } from './transaction-handle.ts'

/**
 * Runs `work` in a transaction on its own connection. After a conflict or a deadlock it is retried: once, or
 * up to twenty attempts in total if serializable, with at most four seconds of waiting.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  toQueryConfig: ToQueryConfig,
  work: (trx: Kysely<Tables>) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const maxAttempts = options.serializable === true ? MAX_SERIALIZABLE_ATTEMPTS : 2
  for (let count = 1; ; count += 1) {
    try {
      return await attemptTransaction(pool, toQueryConfig, work, options)
    } catch (error) {
      if (!isConflict(error) || count === maxAttempts) throw error
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

async function attemptTransaction<T>(
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
