import type { Kysely } from 'kysely'
import type { BuildPreparedQuery, PreparedQuery } from './prepared-query.ts'
import type { StorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/**
 * One database, SQLite or PostgreSQL, alike in everything that callers see.
 *
 * Every method rejects with a StorageError where the database refuses in a way that callers act on.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** Reads, one statement at a time, of committed data only. Writing through it is refused. */
  readonly read: Kysely<Tables>
  /**
   * Runs `work` as one transaction and resolves with its result once the commit is durable.
   *
   * `work` must await nothing but calls on `trx`: other reads take a connection each and can starve
   * PostgreSQL's pool, and anything else holds up every writer on SQLite, which refuses it. A statement
   * that fails ends the transaction, even if `work` catches the error. `work` may run twice when
   * PostgreSQL asks for another try. `trx` is of no use after `work` has returned.
   */
  transaction<T>(
    work: (trx: Kysely<Tables>) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /**
   * Compiles a read once; `build` is called now. Usable before `migrate`.
   * @example
   * const byId = database.hot((db, param: Param<{ id: string }>) =>
   *   db.selectFrom('users').selectAll().where('user_id', '=', param('id')))
   * const user = await byId.first({ id })
   */
  prepare<P, R>(build: BuildPreparedQuery<P, R>): PreparedQuery<P, R>
  /** Brings the schema up to date. @throws {StorageVersionError} when it is newer than this code */
  migrate(): Promise<void>
  /** Whether the database answers and takes writes. Never rejects. */
  healthy(): Promise<boolean>
  /** Ends running transactions in order, then closes. Calls after this reject. */
  close(): Promise<void>
}

/** How a transaction runs. */
export interface TransactionOptions {
  /**
   * What `work` reads must still hold at the commit, so that check-then-write is safe (PostgreSQL:
   * isolation level serializable). SQLite always works this way.
   */
  serializable?: boolean
}

/** Where the database is, and who wants to hear of it. */
export interface DatabaseOptions {
  /** `postgres://…`: use PostgreSQL. */
  url?: string | undefined
  /** Path of the SQLite file, made with mode 0600 if missing. Ignored with `url`. */
  file?: string | undefined
  /** SQLite: claim the file for this service. @throws {StorageInUseError} when another has it */
  exclusive?: boolean | undefined
  /** PostgreSQL: connections at most. Default 10. */
  poolSize?: number | undefined
  /** PostgreSQL: false where a pooler in between cannot keep prepared statements. */
  namedStatements?: boolean | undefined
  /** SQLite: told of every commit with the number of transactions in it. */
  onCommit?: ((transactions: number) => void) | undefined
  /** Told once of a `fatal` StorageError: the process must exit. */
  onFatal?: ((error: StorageError) => void) | undefined
}
