import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type LimitNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from './tables.ts'

/** Runs one compiled statement and returns its rows. */
type RunQuery = (query: CompiledQuery) => Promise<QueryResult<unknown>>

/**
 * A Kysely that passes every statement to `run`. The Database manages connections and transactions. Streams are not
 * supported; use keyset pagination instead.
 */
export function createKysely(dialect: 'sqlite' | 'postgres', run: RunQuery): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createDialect(dialect, run) })
}

function createDialect(name: 'sqlite' | 'postgres', run: RunQuery): Dialect {
  const driver = new RunnerDriver(run)
  if (name === 'sqlite') {
    return {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new StableSqliteCompiler(),
    }
  }
  return {
    createAdapter: () => new LocklessPostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/**
 * SQLite would compile a statement again whenever a parameter of its limit is bound, because its plan may depend on the
 * limit: for most lists that takes longer than to run it. Its plan does not depend on the value of an expression.
 */
class StableSqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node)
    this.append(' + 0')
  }
}

/** The Database itself opens the transaction of the migrations and takes the lock, on both dialects. */
class LocklessPostgresAdapter extends PostgresAdapter implements DialectAdapter {
  override get supportsTransactionalDdl(): boolean {
    return false
  }

  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

class RunnerDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(run: RunQuery) {
    this.#connection = new RunnerConnection(run)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Transactions start with Database.transaction and do not nest')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class RunnerConnection implements DatabaseConnection {
  readonly #run: RunQuery

  constructor(run: RunQuery) {
    this.#run = run
  }

  // Kysely's contract: the caller names the row type.
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return (await this.#run(query)) as QueryResult<R>
  }

  streamQuery(): never {
    throw new Error('Streams are not supported; use keyset pagination')
  }
}

/** The database handle of one transaction, and its outcome. */
export interface TransactionHandle {
  readonly trx: Kysely<Tables>
  /** Invalidates the handle. @throws the first error of a statement, even if the work has caught it */
  finish(): void
}

/**
 * Opens a handle for one transaction. After a statement has failed, or after `finish`, every statement rejects,
 * on both databases, so that a promise that was not awaited cannot write into another transaction.
 */
export function openTransactionHandle(
  dialect: 'sqlite' | 'postgres',
  run: RunQuery,
): TransactionHandle {
  let isFinished = false
  let failure: { error: unknown } | undefined
  let last: Promise<unknown> | undefined
  const runNext: RunQuery = async (query) => {
    if (isFinished) throw new Error('This transaction has ended')
    if (failure !== undefined) throw failure.error
    try {
      return await run(query)
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  return {
    // A connection runs one statement at a time, even if the work starts several concurrently.
    trx: createKysely(dialect, (query) => {
      const next = () => runNext(query)
      const result = last === undefined ? next() : last.then(next, next)
      last = result
      return result
    }),
    finish: () => {
      isFinished = true
      if (failure !== undefined) throw failure.error
    },
  }
}
