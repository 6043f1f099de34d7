import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, QueryResult } from 'kysely'
import type pg from 'pg'
import { openTransactionHandle } from '../create-kysely.ts'
import type { PostgresOptions } from '../database.ts'
import { isConflict, isStalePlan, isTimeout, StorageError } from '../storage-error.ts'
import type { Tables } from '../tables.ts'
import { beginTransaction, runQuery, takeConnection } from './postgres-pool.ts'

interface IsolationOptions {
  readonly serializable?: boolean
}

/** Where transactions run. */
interface TransactionPool {
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
async function rollback(client: pg.PoolClient, error: unknown): Promise<boolean> {
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

/** Runs a read on a connection of the pool, again while its plan is stale. @throws {StorageError} */
export function runRead(
  on: TransactionPool,
  sql: string,
  parameters: readonly unknown[],
): Promise<QueryResult<unknown>> {
  if (on.options.pooler) return readInTransaction(on, sql, parameters)
  return retryStalePlans(() => tryRead(on, sql, parameters))
}

async function tryRead(
  { pool, statements }: TransactionPool,
  sql: string,
  parameters: readonly unknown[],
): Promise<QueryResult<unknown>> {
  const client = await takeConnection(pool)
  let isBroken = false
  try {
    return await statements.run(client, sql, parameters)
  } catch (error) {
    isBroken = !isStalePlan(error)
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** Behind a pooler only a transaction has limits, and refuses writes. Its statements have no names. */
async function readInTransaction(
  { pool, statements, options }: TransactionPool,
  sql: string,
  parameters: readonly unknown[],
): Promise<QueryResult<unknown>> {
  const client = await takeConnection(pool)
  let isBroken = false
  try {
    await runQuery(client, { text: beginTransaction('READ ONLY', options) })
    const result = await statements.run(client, sql, parameters)
    await runQuery(client, { text: 'COMMIT' })
    return result
  } catch (error) {
    isBroken = await rollback(client, error)
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** Runs statements of this process under names, by which each connection parses and plans them once. */
interface Statements {
  /**
   * Runs one statement on a connection. If a migration has changed what the statement returns, it fails, and has another name
   * from then on, under which every connection prepares it again.
   *
   * @throws {StorageError} for which `isStalePlan` is true in that case
   */
  run(
    client: pg.ClientBase,
    text: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<unknown>>
}

/** A connection holds a plan for each name, also for replaced ones, until it ends: both numbers limit the server's memory. */
interface NameLimits {
  readonly statements: number
  readonly names: number
}

/** Names the first statements it sees. All others have a plan for each execution, which never becomes stale. */
export function createStatements(limits: NameLimits = NAME_LIMITS): Statements {
  const names = createNames(limits)
  return {
    async run(client, text, parameters) {
      const values = [...parameters]
      const name = names.find(text)
      if (name === undefined) return runQuery(client, { text, values })
      try {
        return await runQuery(client, { name, text, values })
      } catch (error) {
        if (isStalePlan(error)) names.replace(text, name)
        throw error
      }
    },
  }
}

/** Runs `run` again, at once, while a statement in it had a stale plan. @throws what `run` throws */
async function retryStalePlans<T>(run: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isStalePlan(error) || count === MAX_ATTEMPTS) throw error
    }
  }
}

/** An attempt of a transaction ends at its first stale statement, which is not stale in the next one. */
const MAX_ATTEMPTS = 20

const NAME_LIMITS: NameLimits = { statements: 500, names: 1_000 }
/** Behind a pooler, where the next statement may run on another connection of the server. */
export const NO_NAMES: NameLimits = { statements: 0, names: 0 }

function createNames(limits: NameLimits) {
  const names = new Map<string, string>()
  let count = 0
  const add = (text: string, name: string) => {
    count += 1
    names.set(text, name)
    return name
  }
  return {
    /** Undefined once there are too many. */
    find(text: string): string | undefined {
      const name = names.get(text)
      if (name !== undefined || count >= limits.statements) return name
      return add(text, hashName(text))
    },
    /** Does nothing if another execution has replaced this name. */
    replace(text: string, name: string): void {
      if (names.get(text) !== name) return
      names.delete(text)
      if (count < limits.names) add(text, `${hashName(text)}_${count}`)
    },
  }
}

const hashName = (text: string) =>
  `linchpin_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
