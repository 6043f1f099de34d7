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
 * Runs `work` in a transaction on a connection of its own. When PostgreSQL ends it for a conflict or a
 * deadlock, it runs again: once, or up to twenty times in all if serializable, which takes four seconds at most of waiting.
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
 * PostgreSQL notes what a serializable transaction has read by whole pages, and by whole tables while they are small. So those of
 * one moment end each other though they touch different rows, and of fifty only a few get through each time.
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
    // PostgreSQL rolls back what a dropped connection leaves behind.
    client.release(isBroken)
  }
}

// Every connection is read-only outside of these.
const BEGIN = 'BEGIN READ WRITE'
const BEGIN_SERIALIZABLE = 'BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE'

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toStorageError(error)
  }
}

/** Ends the handle whichever way the work ends; its own failure counts first. */
async function runAndFinish<T>(finish: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    finish()
  }
}

/** Whether the connection is of no use any more. */
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
