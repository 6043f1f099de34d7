import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { openTransactionHandle } from './create-kysely.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { StorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/** Runs transactions that share commits. */
export interface GroupCommit {
  /** Queues `work` and settles after the commit that carries it. */
  transaction<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T>
  /** Queues one statement, and resolves after the commit that carries it. */
  append(sql: string, parameters: readonly unknown[]): Promise<void>
  /** Runs `work` between two commits, when the last one is durable. Transactions wait for it. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when everything that has been committed is durable. @throws {StorageError} `fatal` if it never is */
  waitForSync(): Promise<void>
  /** Resolves when all queued work has settled. Later calls of `transaction` reject. */
  drain(): Promise<void>
  readonly hasFailed: boolean
}

/** Callbacks for commits, and for the failure after which every transaction rejects. */
export interface GroupCommitOptions {
  /** Called immediately before each commit. */
  beforeCommit?: (() => void) | undefined
  /** Called after each rollback. */
  onRollback?: (() => void) | undefined
  /** Makes what has been committed durable, where COMMIT does not. A failure is fatal. */
  sync?: (() => Promise<void>) | undefined
  /** Called once a commit is durable. */
  onCommit?: ((transactions: number) => void) | undefined
  onFatal?: ((error: StorageError) => void) | undefined
}

/**
 * Runs the transactions queued during one iteration of the event loop sequentially inside one BEGIN
 * IMMEDIATE … COMMIT, so that they share an fsync. Each has its own savepoint: only a failing one is
 * rolled back and rejects. All settle once the commit is durable; if it fails, all reject. While one is being synced, the next
 * transactions wait, so that they share a sync, too.
 */
export function createGroupCommit(
  connection: SqliteConnection,
  options: GroupCommitOptions,
): GroupCommit {
  const queue: PendingTransaction[] = []
  const pauses: (() => Promise<void>)[] = []
  let syncing: Promise<void> | undefined
  let running: Promise<void> | undefined
  let isClosed = false
  let fatal: StorageError | undefined

  async function flush(): Promise<void> {
    while (queue.length + pauses.length > 0) {
      // Deferred, so that requests being read can join the batch and responses are sent in between.
      await yieldToEventLoop()
      await syncing
      for (const pause of pauses.splice(0)) await pause()
      if (queue.length === 0) continue
      const batch = queue.splice(0, MAX_BATCH)
      const error = fatal ?? (await runBatch(connection, batch, options))
      if (error === undefined) syncing = syncAndSettle(batch)
      else settle(batch, error)
    }
    running = undefined
  }

  function enqueue<T>(run: RunInBatch<T>): Promise<T> {
    if (isClosed) return Promise.reject(createClosedError())
    const { pending, promise } = createPending(run)
    queue.push(pending)
    running ??= flush()
    return promise
  }

  /** Never rejects. */
  async function syncAndSettle(batch: readonly PendingTransaction[]): Promise<void> {
    const error = await options.sync?.().then(
      () => undefined,
      (cause) => new StorageError('fatal', 'The log cannot be synced', { cause }),
    )
    if (error === undefined) options.onCommit?.(batch.length)
    settle(batch, error)
    syncing = undefined
  }

  function settle(batch: readonly PendingTransaction[], error: unknown): void {
    for (const pending of batch) pending.settle(error)
    if (!isFatal(error) || fatal !== undefined) return
    fatal = error
    options.onFatal?.(error)
  }

  return {
    get hasFailed() {
      return fatal !== undefined
    },
    transaction: (work) => enqueue((on) => runInSavepoint(on, work)),
    append: (sql, parameters) => enqueue(async (on) => runStatement(on, sql, parameters)),
    between: <T>(work: () => Promise<T>) => {
      if (isClosed) return Promise.reject(createClosedError())
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      pauses.push(() => work().then(resolve, reject))
      running ??= flush()
      return promise
    },
    waitForSync: async () => {
      await syncing
      if (fatal !== undefined) throw fatal
    },
    drain: async () => {
      isClosed = true
      await running
      await syncing
    },
  }
}

const MAX_BATCH = 256
const BUSY_TIMEOUT_MS = 5000
const BUSY_RETRY_MS = 5

interface PendingTransaction {
  /** Runs the work in its savepoint. Rejects only if the whole batch failed. */
  run(connection: SqliteConnection): Promise<void>
  /** Settles the caller's promise with the error of the batch, otherwise with the result of the work. */
  settle(batchError: unknown): void
}

type Outcome<T> = { value: T } | { error: unknown }

/** Rejects only if the whole batch failed. */
type RunInBatch<T> = (connection: SqliteConnection) => Promise<Outcome<T>>

function createPending<T>(run: RunInBatch<T>) {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let outcome: Outcome<T>
  const pending: PendingTransaction = {
    run: async (connection) => {
      outcome = await run(connection)
    },
    settle: (batchError) => {
      if (batchError !== undefined) reject(batchError)
      else if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value)
    },
  }
  return { pending, promise }
}

async function runInSavepoint<T>(
  connection: SqliteConnection,
  work: (trx: Kysely<Tables>) => Promise<T>,
): Promise<Outcome<T>> {
  connection.exec('SAVEPOINT work')
  const handle = openTransactionHandle('sqlite', async (query) => {
    if (!connection.isInTransaction) throw new Error('The transaction was rolled back')
    return connection.query(query.sql, query.parameters)
  })
  try {
    const value = await awaitDatabaseOnly(work(handle.trx))
    handle.finish()
    connection.exec('RELEASE work')
    return { value }
  } catch (error) {
    ignoreErrors(handle.finish)
    // On a full or failing disk, SQLite rolls back the whole transaction itself.
    if (!connection.isInTransaction || isFatal(error)) throw error
    connection.exec('ROLLBACK TO work; RELEASE work')
    return { error }
  }
}

/** Without a savepoint: a statement that fails changes nothing. */
function runStatement(
  connection: SqliteConnection,
  sql: string,
  parameters: readonly unknown[],
): Outcome<void> {
  try {
    connection.query(sql, parameters)
    return { value: undefined }
  } catch (error) {
    // As in a savepoint.
    if (!connection.isInTransaction || isFatal(error)) throw error
    return { error }
  }
}

async function runBatch(
  connection: SqliteConnection,
  batch: readonly PendingTransaction[],
  { beforeCommit, onRollback }: GroupCommitOptions,
): Promise<unknown> {
  try {
    await beginImmediate(connection)
    for (const pending of batch) await pending.run(connection)
    beforeCommit?.()
    connection.exec('COMMIT')
    return undefined
  } catch (error) {
    ignoreErrors(() => connection.isInTransaction && connection.exec('ROLLBACK'))
    onRollback?.()
    return error
  }
}

/** Waits for another process's transaction without blocking the event loop. */
async function beginImmediate(connection: SqliteConnection): Promise<void> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return connection.exec('BEGIN IMMEDIATE')
    } catch (error) {
      const isBusy = error instanceof StorageError && error.kind === 'unavailable'
      if (!isBusy || performance.now() > deadline) throw error
      await sleep(BUSY_RETRY_MS)
    }
  }
}

/** Statements complete in the iteration they start in; work that needs another one awaits something else. */
async function awaitDatabaseOnly<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const immediate = setImmediate(
    reject,
    new Error('A transaction must await nothing but the database'),
  )
  try {
    return await Promise.race([work, promise])
  } finally {
    clearImmediate(immediate)
  }
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function ignoreErrors(work: () => unknown): void {
  try {
    work()
  } catch {
    // Report the original failure, not that of the rollback.
  }
}

function isFatal(error: unknown): error is StorageError {
  return error instanceof StorageError && error.kind === 'fatal'
}

function createClosedError(): StorageError {
  return new StorageError('unavailable', 'The database is closed')
}
