import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { createKysely } from './create-kysely.ts'
import type {
  MigrationListener,
  PostgresOptions,
  SchemaIndex,
  SchemaMigration,
  SchemaMigrations,
} from './database.ts'
import { applyMigration, createSchema, planMigrations } from './migrate.ts'
import {
  assertNoTransactionPooler,
  buildConnectionConfig,
  connectClient,
  runQuery,
} from './postgres/postgres-pool.ts'
import { isConflict, isTimeout, toStorageError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/** What a migration of PostgreSQL uses. */
export interface MigratePostgresDeps extends MigrationListener {
  readonly url: string
  readonly options: PostgresOptions
  readonly migrations: SchemaMigrations
}

/**
 * Migrates on connections of its own, while nodes may use the database. An empty database gets its schema in one transaction;
 * otherwise each migration has one, and what a killed process has not done is done by the next. Concurrent nodes wait for one
 * another.
 *
 * @throws {StorageError, StorageVersionError, StoragePoolerError}
 */
export async function migratePostgres(deps: MigratePostgresDeps): Promise<void> {
  const { migrations, onApplied } = deps
  const client = await connect(deps)
  const db = openKysely(client)
  try {
    await preparePlainSession(client, deps)
    if ((await planMigrations(db, migrations)).pending.length === 0) return
    const unlock = await lockMigrations(deps)
    try {
      const { isNew, pending } = await planMigrations(db, migrations)
      const names = pending.map(({ name }) => name)
      if (isNew) {
        await runInTransaction(client, () => createSchema(db, migrations, names))
        for (const name of names) onApplied?.(name)
        return
      }
      for (const name of names) {
        const migration = migrations[name]
        if (migration !== undefined) await migrateOnline(client, db, name, migration, deps)
        onApplied?.(name)
      }
    } finally {
      await unlock()
    }
  } catch (error) {
    throw toStorageError(error)
  } finally {
    await client.end()
  }
}

function connect({ url, options }: MigratePostgresDeps): Promise<pg.Client> {
  // Waiting for another node, or building an index, may take longer than statements of requests.
  return connectClient(buildConnectionConfig(options.directUrl ?? url, options))
}

const openKysely = (client: pg.Client) =>
  createKysely('postgres', ({ sql, parameters }) =>
    runQuery(client, { text: sql, values: [...parameters] }),
  )

/** Nothing that the role or the database sets by default ends a migration, except behind a pooler. */
async function preparePlainSession(
  client: pg.Client,
  { url, options }: MigratePostgresDeps,
): Promise<void> {
  if (options.pooler && options.directUrl === undefined) return
  if (!options.pooler) await assertNoTransactionPooler(client, options.directUrl ?? url, options)
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0')
}

// An arbitrary number that no other program on the same database uses.
const MIGRATION_LOCK = 7_210_349_115
/** Whatever the defaults of the role: the holder is idle meanwhile, and has no snapshot. */
const BEGIN_LOCK =
  'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0'
const LOCK_RETRY_MS = 100
const LOCK_NOTICE_ATTEMPT = 10

/**
 * Waits until no other process migrates. A transaction of a second connection holds the lock, because a pooler keeps nothing
 * else. It asks again and again, in a transaction each time: the index of the holder waits for the end of every transaction that had a
 * snapshot at the wrong moment, and the lock would never be free.
 */
async function lockMigrations(deps: MigratePostgresDeps): Promise<() => Promise<void>> {
  const client = await connect(deps)
  try {
    for (let attempt = 1; ; attempt += 1) {
      await client.query(BEGIN_LOCK)
      const { rows } = await client.query(
        `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK})::int AS is_locked`,
      )
      if (rows[0]?.is_locked === 1) return () => client.end()
      await client.query('ROLLBACK')
      if (attempt === LOCK_NOTICE_ATTEMPT)
        deps.onProgress?.('another node migrates: waiting for it')
      await sleep(LOCK_RETRY_MS)
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** The indexes come first: a migration is recorded once it is complete. */
async function migrateOnline(
  client: pg.Client,
  db: Kysely<Tables>,
  name: string,
  migration: SchemaMigration,
  { onProgress }: MigrationListener,
): Promise<void> {
  const onLocked = () =>
    onProgress?.(
      `${name}: another transaction holds a lock that it needs; trying for up to ten minutes`,
    )
  for (const index of migration.indexes ?? []) {
    // Waits for every older transaction.
    onProgress?.(`${name}: creating the index ${index.name}`)
    await retryWhileLocked(() => buildIndex(client, index), onLocked)
  }
  const apply = () =>
    runInTransaction(client, async () => {
      await runQuery(client, { text: `SET LOCAL lock_timeout = ${DDL_LOCK_TIMEOUT_MS}` })
      await applyMigration(db, name, migration)
    })
  await retryWhileLocked(apply, onLocked)
}

/** All requests for a table wait behind a statement that waits for its lock, so this is far below their own timeout. */
const DDL_LOCK_TIMEOUT_MS = 500
const MAX_LOCK_WAIT_MS = 10 * 60_000

/** Tries again until the locks are free, with pauses in which those who waited behind it go on. Reports the first failure. */
async function retryWhileLocked(run: () => Promise<void>, onLocked: () => void): Promise<void> {
  const deadline = performance.now() + MAX_LOCK_WAIT_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (!(isTimeout(error) || isConflict(error)) || performance.now() > deadline) throw error
      if (attempt === 1) onLocked()
      await sleep(DDL_LOCK_TIMEOUT_MS * (1 + Math.random()))
    }
  }
}

async function runInTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN READ WRITE')
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    // A broken connection rolls back by itself.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * Creates an index on PostgreSQL while the table is read and written. PostgreSQL marks an index as invalid until it is complete,
 * so one that is left of an attempt that was killed is dropped first. Must run outside of a transaction.
 */
async function buildIndex(client: pg.Client, { name, on }: SchemaIndex): Promise<void> {
  const isValid = await readIsValid(client, name)
  if (isValid === true) return
  if (isValid === false) await runQuery(client, { text: `DROP INDEX CONCURRENTLY ${name}` })
  await runQuery(client, { text: `CREATE INDEX CONCURRENTLY ${name} ON ${on}` })
}

/** Undefined if there is no such index. */
async function readIsValid(client: pg.Client, name: string): Promise<boolean | undefined> {
  const { rows } = await runQuery(client, {
    text: `SELECT indisvalid::int AS is_valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE relname = $1 AND relnamespace = current_schema()::regnamespace`,
    values: [name],
  })
  const [row] = rows as { is_valid: number }[]
  return row === undefined ? undefined : row.is_valid === 1
}
