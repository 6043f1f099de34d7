import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import { toStorageError } from './storage-error.ts'

/**
 * A connection of node:sqlite with a cache of prepared statements. Every method is synchronous and throws a
 * StorageError for failures that callers can handle.
 */
export interface SqliteConnection {
  readonly isInTransaction: boolean
  /** Runs SQL without parameters or rows. */
  exec(sql: string): void
  /** Runs one statement and returns its rows, or the number of changed rows when it returns none. */
  query(sql: string, parameters: readonly unknown[]): QueryResult<unknown>
  /** Runs one statement and returns the first row. */
  first(sql: string, parameters: readonly unknown[]): unknown
  close(): void
}

/** Opens the file. Waits up to `busyTimeout` milliseconds for locks of other processes. */
export function connectSqlite(
  file: string,
  options: { readOnly: boolean; busyTimeout: number },
): SqliteConnection {
  const raw = withStorageErrors(
    () => new DatabaseSync(file, { readOnly: options.readOnly, timeout: options.busyTimeout }),
  )
  const statements = new Map<string, CachedStatement>()
  return {
    get isInTransaction() {
      return raw.isTransaction
    },
    exec: (sql) => withStorageErrors(() => raw.exec(sql)),
    query: (sql, parameters) =>
      withStorageErrors(() =>
        run(prepare(raw, statements, sql), parameters as readonly SQLInputValue[]),
      ),
    first: (sql, parameters) =>
      withStorageErrors(() =>
        prepare(raw, statements, sql).statement.get(...(parameters as readonly SQLInputValue[])),
      ),
    close: () => {
      statements.clear()
      raw.close()
    },
  }
}

interface CachedStatement {
  statement: StatementSync
  hasRows: boolean
}

const MAX_STATEMENTS = 500

function prepare(
  raw: DatabaseSync,
  statements: Map<string, CachedStatement>,
  sql: string,
): CachedStatement {
  const cached = statements.get(sql)
  if (cached !== undefined) return cached
  // Evict the oldest: lists of varying length would otherwise cache statements without limit.
  const oldest = statements.keys().next()
  if (statements.size >= MAX_STATEMENTS && !oldest.done) statements.delete(oldest.value)
  const statement = raw.prepare(sql)
  const prepared = { statement, hasRows: statement.columns().length > 0 }
  statements.set(sql, prepared)
  return prepared
}

function run({ statement, hasRows }: CachedStatement, parameters: readonly SQLInputValue[]) {
  if (hasRows) return { rows: statement.all(...parameters) }
  const { changes } = statement.run(...parameters)
  return { numAffectedRows: BigInt(changes), rows: [] }
}

function withStorageErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toStorageError(error)
  }
}

/** Makes the reads of one iteration of the event loop share a transaction. */
export interface SharedSnapshot {
  /** Must be called before each read. Returns the version of the data: another one after each commit, of any process. */
  enter(): number
  /** Must be called before each commit of this process: the next read must see it, and the log can be checkpointed. */
  leave(): void
  /**
   * Must be called in a transaction of `writer`, before its commit, which is not durable at once: reads see what was committed
   * before it, until `release`, or until another process commits, which makes both durable.
   */
  hold(writer: SqliteConnection): void
  /** The commit is durable, or was rolled back. */
  release(): void
}

/**
 * Without a transaction, every statement acquires and releases the locks of the log: a third of the cost of a small
 * read. Under load, one transaction serves all reads of one iteration. It ends with the iteration and before every
 * commit of this process, so clients read their own writes, and the log, which a read transaction prevents from
 * shrinking, stays short.
 *
 * @param scheduleEnd schedules the end of the transaction. A process that is not the one that commits has to end it before
 * it receives another request.
 */
export function createSharedSnapshot(
  reader: SqliteConnection,
  scheduleEnd: (end: () => void) => void = setImmediate,
): SharedSnapshot {
  let isOpen = false
  let dataVersion = 0
  /** Whether another process has committed since the snapshot is held; undefined if it is not. */
  let hasOtherCommit: (() => boolean) | undefined
  const leave = () => {
    if (!isOpen || hasOtherCommit !== undefined) return
    isOpen = false
    if (!reader.isInTransaction) return
    try {
      reader.query('COMMIT', [])
    } catch {
      // Of a damaged page: its reader has thrown already. A transaction that has only read has nothing to lose.
      if (reader.isInTransaction) reader.query('ROLLBACK', [])
    }
  }
  const release = () => {
    hasOtherCommit = undefined
    leave()
  }
  const enter = () => {
    if (hasOtherCommit?.()) release()
    if (isOpen) return dataVersion
    reader.query('BEGIN', [])
    isOpen = true
    scheduleEnd(leave)
    try {
      // Starts the read transaction as well, so the version is that of the snapshot.
      dataVersion = readDataVersion(reader)
      return dataVersion
    } catch (error) {
      leave()
      throw error
    }
  }
  return {
    enter,
    leave,
    hold: (writer) => {
      leave()
      enter()
      const version = readDataVersion(writer)
      // Its own commits do not change it.
      hasOtherCommit = () => readDataVersion(writer) !== version
    },
    release,
  }
}

/** Changes with each commit of another connection. */
function readDataVersion(connection: SqliteConnection): number {
  return (connection.first('PRAGMA data_version', []) as { data_version: number }).data_version
}

/**
 * Calls back when everything has run that this callback of the event loop caused, promises included. What a client sends
 * after another process has committed is read from the socket in a later callback.
 */
export function afterThisCallback(work: () => void): void {
  queueMicrotask(() => process.nextTick(work))
}
