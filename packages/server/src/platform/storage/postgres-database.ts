import { createKysely } from './create-kysely.ts'
import { createListeners } from './create-listeners.ts'
import type { DatabaseOptions } from './database.ts'
import { createReadMeasurement } from './measure-reads.ts'
import { MIGRATIONS } from './migrate.ts'
import { migratePostgres } from './migrations/migrate-postgres.ts'
import { planMigrations } from './migrations/plan-migrations.ts'
import type { OpenedDatabase } from './monitor-space.ts'
import { acceptsWrites, watchAddress } from './postgres/postgres-health.ts'
import { POSTGRES_DEFAULTS } from './postgres/postgres-options.ts'
import { openPool } from './postgres/postgres-pool.ts'
import { runRead } from './postgres/postgres-read.ts'
import { runTransaction } from './postgres/postgres-transaction.ts'
import { createPrimaryGuard } from './postgres/primary-guard.ts'
import { createReadLimits, findTable, type ReadKind } from './postgres/read-limits.ts'
import { createStatements, NO_NAMES } from './postgres/statements.ts'
import { preparePostgresQuery } from './prepare-postgres-query.ts'

/** Opens the pools of PostgreSQL connections as a Database. Connects on first use. */
export async function openPostgres({
  url,
  postgres,
}: DatabaseOptions & { url: string }): Promise<OpenedDatabase> {
  const options = { ...POSTGRES_DEFAULTS, ...postgres }
  const statements = createStatements(options.pooler ? NO_NAMES : undefined)
  const guard = createPrimaryGuard(options.connectTimeoutMs)
  const pools = {
    write: openPool(url, options, { connections: options.writeConnections, guard }),
    read: openPool(url, options, { connections: options.readConnections, guard }),
    // New connections notice that the address has moved.
    health: openPool(url, options, { connections: 1, guard, maxLifetimeSeconds: 1 }),
  }
  const stopWatching = options.pooler ? () => {} : watchAddress(pools)
  const writes = { pool: pools.write, statements, options }
  const reads = { pool: pools.read, statements, options }
  const limits = createReadLimits(options.readConnections, options.connectTimeoutMs)
  const measurement = createReadMeasurement()
  const run = (kind: ReadKind, sql: string, parameters: readonly unknown[]) =>
    measurement.measure(kind, () =>
      limits.run(kind, findTable(sql), () => runRead(reads, sql, parameters)),
    )
  const commitListeners = createListeners()
  const read = createKysely('postgres', (query) => run('list', query.sql, query.parameters))
  return {
    dialect: 'postgres',
    read,
    readDataVersion: () => undefined,
    async transaction(work, transactionOptions = {}) {
      const result = await runTransaction(writes, work, transactionOptions)
      commitListeners.call()
      return result
    },
    onCommit: commitListeners.add,
    onRead: measurement.onRead,
    prepare: (build, keyTypes) => preparePostgresQuery({ read, run }, build, keyTypes),
    migrate: (listener) => migratePostgres({ url, options, migrations: MIGRATIONS, ...listener }),
    listPendingMigrations: async () => (await planMigrations(read, MIGRATIONS)).pending,
    isEmpty: async () => (await planMigrations(read, MIGRATIONS)).isNew,
    truncateLog: () => true,
    rewriteFile: async () => {},
    healthy: () => acceptsWrites(pools.health),
    checkIntegrity: async () => {},
    connections: () =>
      (['read', 'write', 'health'] as const).map((name) => {
        const { totalCount, idleCount, waitingCount } = pools[name]
        const waiting = waitingCount + (name === 'read' ? limits.countWaiting() : 0)
        return { pool: name, used: totalCount - idleCount, idle: idleCount, waiting }
      }),
    async close() {
      stopWatching()
      await Promise.all(Object.values(pools).map((pool) => pool.end()))
    },
  }
}
