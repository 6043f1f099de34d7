import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { isConflict, isStalePlan, isTimeout, StorageError } from '../storage-error.ts'
import type { Tables } from '../tables.ts'
import { openTransactionHandle } from '../transaction-handle.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { beginTransaction, runQuery, takeConnection } from './postgres-pool.ts'
import { retryStalePlans, type Statements } from './statements.ts'

interface IsolationOptions {
  readonly serializable?: boolean
}

/** Where transactions run. */
export interface TransactionPool {
  readonly pool: pg.Pool
  readonly statements: Statements
  readonly options: PostgresOptions
}

/**
 * Runs `work` in a transaction on its own connection. After a conflict or a deadlock it is retried: once, or
 * up to twenty attempts in total if serializable, with at most four seconds of waiting. A serializable transaction is
 * also retried once after a unique violation. A stale plan repeats an attempt.
 */
export async function runTransaction<T>(
  on: TransactionPool,
  work: (trx: Kysely<Tables>) => Promise<T>,
  options: IsolationOptions,
): Promise<T> {
  const isSerializable = options.serializable === true
  const maxAttempts = isSerializable ? MAX_SERIALIZABLE_ATTEMPTS : 2
  let canRetryViolation = isSerializable
  for (let count = 1; ; count += 1) {
    try {
      return await retryStalePlans(() => tryTransaction(on, work, options))
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
  on: TransactionPool,
  work: (trx: Kysely<Tables>) => Promise<T>,
  options: IsolationOptions,
): Promise<T> {
  const { pool, statements } = on
  const client = await takeConnection(pool)
  const handle = openTransactionHandle('postgres', (query) =>
    statements.run(client, query.sql, query.parameters),
  )
  let isBroken = false
  try {
    const mode = options.serializable ? SERIALIZABLE : 'READ WRITE'
    await runQuery(client, { text: beginTransaction(mode, on.options) })
    const value = await runAndFinish(handle.finish, () => work(handle.trx))
    await commit(client)
    return value
  } catch (error) {
    isBroken = await rollback(client, error)
    throw error
  } finally {
    // PostgreSQL rolls back the transaction of a dropped connection.
    client.release(isBroken)
  }
}

/**
 * Commits. PostgreSQL reports success, with a warning, when the wait for the synchronous standby was canceled: the
 * transaction may be lost with this server, so it must not be acknowledged.
 *
 * @throws {StorageError}
 */
async function commit(client: pg.PoolClient): Promise<void> {
  let isReplicated = true
  const readNotice = ({ routine }: { readonly routine?: string | undefined }) => {
    // The text depends on the server's language.
    if (routine === 'SyncRepWaitForLSN') isReplicated = false
  }
  client.on('notice', readNotice)
  try {
    await runQuery(client, { text: 'COMMIT' })
  } finally {
    client.off('notice', readNotice)
  }
  if (!isReplicated) throw new StorageError('unavailable', 'The standby has not confirmed')
}

// Connections are read-only outside of transactions.
const SERIALIZABLE = 'ISOLATION LEVEL SERIALIZABLE READ WRITE'

/** Finishes the handle however the work ends. An error of the work takes precedence. */
async function runAndFinish<T>(finish: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    finish()
  }
}

/** Ends a transaction that failed. Returns whether the connection is broken. */
export async function rollback(client: pg.PoolClient, error: unknown): Promise<boolean> {
  const isUnavailable = error instanceof StorageError && error.kind === 'unavailable'
  const isUsable = isConflict(error) || isTimeout(error) || isStalePlan(error)
  if (isUnavailable && !isUsable) return true
  try {
    await runQuery(client, { text: 'ROLLBACK' })
    return false
  } catch {
    return true
  }
}
