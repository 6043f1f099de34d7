import { type Compilable, type CompiledQuery, type Expression, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { StorageError } from './storage-error.ts'
import type { AuditEntryRow, Tables } from './tables.ts'

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
  /**
   * Appends an entry to the inbox of the audit trail, and resolves once the commit is durable. Like a transaction that does
   * nothing else, for a fraction of its cost: entries of concurrent calls share one.
   */
  appendAuditEntry(entry: AuditEntryRow): Promise<void>
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
   * reader prevents it. PostgreSQL does so in its own time: always true.
   */
  truncateLog(): Promise<boolean>
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

/** A parameter of a prepared query: `param('id')`. */
export type Param<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>

/** Builds a prepared query once; `param` marks the values that each call passes. */
export type BuildPreparedQuery<P, R> = (db: Kysely<Tables>, param: Param<P>) => Compilable<R>

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** A read that is compiled once and runs directly on the driver. It sees committed data only. */
export interface PreparedQuery<P, R> {
  /** The first row, or undefined. */
  first(params: P): Promise<R | undefined>
  /** The first row, without a promise on SQLite: a promise costs the most frequent reads more than the statement. */
  firstDirect(params: P): MaybePromise<R | undefined>
  /** All rows. */
  all(params: P): Promise<R[]>
  /** All rows in any order: with key types, PostgreSQL reads those of concurrent calls in one statement. */
  allUnordered(params: P): Promise<R[]>
  /** The same, for reads that take long: on SQLite on another thread, in turns with those of other tenants. */
  allAside(tenant: string, params: P): Promise<R[]>
  /** The same, for reads that take the longer, the more accounts a workspace has: no other read waits for them. */
  allLong(tenant: string, params: P): Promise<R[]>
}

/** The SQL text, and the values of its placeholders for the parameters of a call. */
export interface CompiledPreparedQuery<P> {
  sql: string
  values(params: P): unknown[]
}

/** The PostgreSQL types of the parameters of a query that finds few rows by its key. */
export type KeyTypes<P> = { readonly [K in keyof P & string]: 'text' | 'bytea' }

/** Compiles a prepared query for the dialect of `db`. Literal values in the query are constants. */
export function compilePreparedQuery<P, R>(
  db: Kysely<Tables>,
  build: BuildPreparedQuery<P, R>,
): CompiledPreparedQuery<P> {
  const param = <K extends keyof P & string>(name: K) => sql<P[K]>`${new Placeholder(name)}`
  const compiled: CompiledQuery = build(db, param).compile()
  const slots = compiled.parameters
  return {
    sql: compiled.sql,
    values: (params) =>
      slots.map((slot) => (slot instanceof Placeholder ? params[slot.name as keyof P] : slot)),
  }
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A file of `packages/server/migrations`. Released migrations never change. See CONTRIBUTING.md for what one may do. */
export interface SchemaMigration extends Migration {
  /**
   * The last migration of the oldest version whose nodes work with the schema after this one: they may start during a rolling
   * upgrade. Absent: only nodes that know this migration start.
   */
  readonly minReader?: string
  /** Indexes to create before `up`, of columns of earlier migrations: on PostgreSQL with data, without blocking writes. */
  readonly indexes?: readonly SchemaIndex[]
}

/** An index that a migration creates. */
export interface SchemaIndex {
  readonly name: string
  /** What follows `on`: `accounts (status) where deleted_at is null`. */
  readonly on: string
}

/** Migrations by name; the names sort in the order in which they run. */
export type SchemaMigrations = Readonly<Record<string, SchemaMigration>>

/** A migration that a database does not have. */
export interface PendingMigration {
  readonly name: string
  readonly minReader: string | undefined
  readonly indexes: readonly string[]
}

/** Receives how a migration goes on. */
export interface MigrationListener {
  /** A migration is complete: its name. */
  readonly onApplied?: ((name: string) => void) | undefined
  /** What takes long on PostgreSQL: a wait, or an index, when it begins. */
  readonly onProgress?: ((text: string) => void) | undefined
}

/** How to use a PostgreSQL server. Times are in milliseconds. */
export interface PostgresOptions {
  /** Maximum number of connections for transactions. */
  readonly writeConnections: number
  /** Maximum number of connections for reads, at least 2. */
  readonly readConnections: number
  /** Longest duration of one statement. */
  readonly statementTimeoutMs: number
  /** Longest wait of a statement for a lock that another transaction holds. */
  readonly lockTimeoutMs: number
  /** Longest wait for a connection: to open one, or until one of the pool is free. */
  readonly connectTimeoutMs: number
  /** Whether a pooler gives each transaction another connection: nothing may outlive a transaction. */
  readonly pooler: boolean
  /** Where migrations connect: past the pooler. */
  readonly directUrl: string | undefined
}

export const POSTGRES_DEFAULTS: PostgresOptions = {
  writeConnections: 6,
  readConnections: 8,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 2_000,
  connectTimeoutMs: 3_000,
  pooler: false,
  directUrl: undefined,
}
