import type { Kysely } from 'kysely'
import type { MigrationListener, PendingMigration } from './migrations/schema-migration.ts'
import type { PostgresOptions } from './postgres/postgres-options.ts'
import type { BuildPreparedQuery, KeyTypes, PreparedQuery } from './prepared-query.ts'
import type { StorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/**
 * A database, SQLite or PostgreSQL, with the same behaviour for callers.
 *
 * Every method rejects with a StorageError for failures that callers can handle.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** Reads committed data, one statement at a time. Rejects writes. */
  readonly read: Kysely<Tables>
  /**
   * A number that changes whenever any connection, of another process too, has committed: what was read at one version is still
   * true at the same version. Undefined on PostgreSQL, which has no such number.
   */
  readDataVersion(): number | undefined
  /**
   * Runs `work` as one transaction and resolves with its result once the commit is durable.
   *
   * `work` must await nothing but calls on `trx`: other reads take a connection each and can exhaust
   * PostgreSQL's pool, and any other wait blocks every writer on SQLite, which rejects it. A failed
   * statement ends the transaction, even if `work` catches the error. On PostgreSQL, `work` may run again after a
   * conflict, or after a migration. `trx` is invalid after `work` has returned.
   */
  transaction<T>(
    work: (trx: Kysely<Tables>) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /** Calls the listener after commits of this process. Returns a function that removes it. */
  onCommit(listener: () => void): () => void
  /** Calls the listener after reads that wait for PostgreSQL or for the thread of SQLite. Returns a function that removes it. */
  onRead(listener: (kind: ReadKind, seconds: number) => void): () => void
  /**
   * Compiles a read once, calling `build` immediately. Works before `migrate`. With `keyTypes`, PostgreSQL reads the first rows of
   * concurrent calls in one statement.
   * @example
   * const byId = database.prepare((db, param: Param<{ id: string }>) =>
   *   db.selectFrom('users').selectAll().where('user_id', '=', param('id')))
   * const user = await byId.first({ id })
   */
  prepare<P, R>(build: BuildPreparedQuery<P, R>, keyTypes?: KeyTypes<P>): PreparedQuery<P, R>
  /**
   * Brings the schema up to date.
   * @throws {StorageVersionError} when it is newer than this code, unless its migrations allow nodes of this version
   */
  migrate(listener?: MigrationListener): Promise<void>
  /** The migrations that `migrate` would run, in order. @throws {StorageVersionError} as `migrate` does */
  listPendingMigrations(): Promise<readonly PendingMigration[]>
  /** Whether it has no schema yet. @throws {StorageVersionError} as `migrate` does */
  isEmpty(): Promise<boolean>
  /**
   * SQLite: removes earlier versions of pages from the disk, so that what was deleted is in no file. Returns false while a
   * reader or a transaction prevents it. PostgreSQL does so in its own time: always true.
   */
  truncateLog(): boolean
  /**
   * SQLite: removes what was deleted from the unused space of a file of at most 64 MiB. Writes wait meanwhile, for some ten
   * milliseconds per MiB. Does nothing if the log was not truncated for an erasure since. PostgreSQL: nothing.
   */
  rewriteFile(): Promise<void>
  /** Whether the database responds and accepts writes. Never rejects. */
  healthy(): Promise<boolean>
  /** Whether writes have space: on the disk of SQLite, and since the last write that found none. Never rejects. */
  hasSpace(): Promise<boolean>
  /** The connections of each pool of PostgreSQL; none for SQLite. */
  connections(): readonly PoolConnections[]
  /** The size of the database, at most a minute old. */
  measureSize(): Promise<DatabaseSize>
  /**
   * SQLite: checks the structure of the file in another process, unless it was checked when it was opened: after it had
   * not been closed, with at most 128 MiB. After damage, it is checked each time it is opened. PostgreSQL checks its files itself.
   * @throws {StorageError} `corrupt`
   */
  checkIntegrity(signal: AbortSignal): Promise<void>
  /** Waits for running transactions, then closes. Later calls reject. */
  close(): Promise<void>
}

/**
 * PostgreSQL: a `lookup` finds few rows by their key, as authentication does with every request; everything else is a `list`. SQLite:
 * reads that take long run `aside`, on a thread. All others take microseconds of the event loop, and are not measured.
 */
export type ReadKind = 'lookup' | 'list' | 'aside'

/** The connections of one pool. */
export interface PoolConnections {
  readonly pool: 'read' | 'write' | 'health'
  readonly used: number
  readonly idle: number
  /** What waits for a connection. */
  readonly waiting: number
}

/** The size of a database, in bytes. */
export interface DatabaseSize {
  readonly databaseBytes: number
  /** SQLite: the write-ahead log. */
  readonly walBytes?: number | undefined
  /** SQLite: what is free on its disk. */
  readonly freeBytes?: number | undefined
}

/** The isolation of a transaction. */
export interface TransactionOptions {
  /**
   * Fails the commit if data that `work` has read changed, so that check-then-write is safe (PostgreSQL:
   * isolation level serializable). SQLite transactions are always serializable.
   */
  serializable?: boolean
}

/** The location and options of a database. */
export interface DatabaseOptions {
  /** `postgres://…`: connect to PostgreSQL. */
  url?: string | undefined
  /** Path of the SQLite file, created with mode 0600 if it does not exist. Ignored with `url`. */
  file?: string | undefined
  /** SQLite: open the file of a service that another process of this machine runs, for reads only: transactions reject. */
  readOnly?: boolean | undefined
  /** SQLite: lock the file for this process. @throws {StorageInUseError} when another process has the lock */
  exclusive?: boolean | undefined
  /** PostgreSQL: what differs from `POSTGRES_DEFAULTS`. */
  postgres?: Partial<PostgresOptions> | undefined
  /** SQLite: called after every commit with the number of transactions in it. */
  onCommit?: ((transactions: number) => void) | undefined
  /** Called once, with a `fatal` StorageError: the process must exit. */
  onFatal?: ((error: StorageError) => void) | undefined
}

/** The database inside a transaction. Passed to stores; invalid after the transaction. */
export type Transaction = Kysely<Tables>
