import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  DialectAdapter,
  Driver,
  LimitNode,
  QueryResult,
} from 'kysely'
import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from './tables.ts'

/** Runs one compiled statement and returns its rows. */
export type RunQuery = (query: CompiledQuery) => Promise<QueryResult<unknown>>

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
