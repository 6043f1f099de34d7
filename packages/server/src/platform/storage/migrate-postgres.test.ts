import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { describePostgres } from '../../../test/postgres.ts'
import { type Database, POSTGRES_DEFAULTS, type SchemaMigrations } from './database.ts'
import { MIGRATIONS, planMigrations } from './migrate.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { openDatabase } from './open-database.ts'
import { insertSampleRows } from './test/test-database.ts'

const INDEX = { name: 'users_by_lastname', on: 'users (lastname) where email is not null' }

/** The migrations of a later version. */
const LATER: SchemaMigrations = {
  ...MIGRATIONS,
  '9001-nicknames': {
    up: (db) => db.schema.alterTable('users').addColumn('nickname', 'text').execute(),
    minReader: '0001-initial',
  },
  '9002-names': { up: async () => {}, indexes: [INDEX], minReader: '0001-initial' },
}

describePostgres('Migrations of a PostgreSQL database that is in use', (server) => {
  const open = async (t: TestContext) => {
    const url = await server().createMigratedDatabase()
    const database = await openDatabase({ url })
    t.after(() => database.close())
    await insertSampleRows(database)
    const migrateTo = (
      migrations: SchemaMigrations,
      onApplied?: (name: string) => void,
      onProgress?: (text: string) => void,
    ) => migratePostgres({ url, options: POSTGRES_DEFAULTS, migrations, onApplied, onProgress })
    return { url, database, migrateTo }
  }
  const connect = async (t: TestContext, url: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    t.after(() => client.end())
    return client
  }

  it('wait for one another, so that each migration is applied once', async (t) => {
    const { database, migrateTo } = await open(t)
    const applied: string[] = []
    await Promise.all([1, 2, 3].map(() => migrateTo(LATER, (name) => applied.push(name))))
    assert.deepEqual(applied, ['9001-nicknames', '9002-names'])
    assert.deepEqual(await listValidIndexes(database), [INDEX.name])
  })

  it('keep no transaction open while they wait, which an index of another node would wait for', async (t) => {
    const { url, migrateTo } = await open(t)
    const holder = await connect(t, url)
    await holder.query('BEGIN; SELECT pg_try_advisory_xact_lock(7210349115)')
    const migrating = migrateTo(LATER)
    // In its own transaction, the holder would see the same each time.
    const observer = await connect(t, url)
    let isBetweenQuestions = false
    for (let turn = 0; turn < 2_000 && !isBetweenQuestions; turn += 1) {
      const { rows } = await observer.query(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle' AND query = 'ROLLBACK'`)
      isBetweenQuestions = rows.length > 0
      await sleep(1)
    }
    await holder.query('COMMIT')
    await migrating
    assert.ok(isBetweenQuestions)
  })

  it('retry while a table is locked, and let reads and writes of it pass meanwhile', async (t) => {
    const { url, database, migrateTo } = await open(t)
    const reader = await connect(t, url)
    // A long transaction: all others would wait behind a statement that waits for its lock.
    await reader.query('BEGIN; SELECT count(*) FROM users')
    const progress: string[] = []
    const migrating = migrateTo(LATER, undefined, (text) => progress.push(text))
    const durations: number[] = []
    for (let turn = 0; turn < 12; turn += 1) {
      const startedAt = performance.now()
      await database.transaction((trx) =>
        trx.updateTable('users').set({ firstname: 'Grace' }).execute(),
      )
      durations.push(performance.now() - startedAt)
      await sleep(50)
    }
    assert.ok(Math.max(...durations) < 1_500, durations.map(Math.round).join())
    assert.equal(await isPending(migrating), true)
    await reader.query('COMMIT')
    await migrating
    assert.deepEqual(await listValidIndexes(database), [INDEX.name])
    assert.deepEqual(progress, [
      '9001-nicknames: another transaction holds a lock that it needs; trying for up to ten minutes',
      `9002-names: creating the index ${INDEX.name}`,
    ])
  })

  it('build an index beside writes, and replace one that an attempt left invalid', async (t) => {
    const { url, database, migrateTo } = await open(t)
    const { '9002-names': _last, ...before } = LATER
    await migrateTo(before)
    const writer = await connect(t, url)
    await writer.query("BEGIN; UPDATE users SET firstname = 'Ada'")
    const first = migrateTo(LATER)
    const rejected = assert.rejects(first, { kind: 'unavailable' })
    await untilIndexExists(database)
    // As a crash does, while it waits for the transaction of the writer.
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()`.execute(
      database.read,
    )
    await rejected
    assert.deepEqual(await listValidIndexes(database), [])
    assert.deepEqual(
      (await planMigrations(database.read, LATER)).pending.map(({ name }) => name),
      ['9002-names'],
    )
    await writer.query('COMMIT')
    await migrateTo(LATER)
    assert.deepEqual(await listValidIndexes(database), [INDEX.name])
  })

  it('allow nodes of an older version to start if their minReader says so', async (t) => {
    const { database, migrateTo } = await open(t)
    await migrateTo(LATER)
    await database.migrate()
    assert.deepEqual(await database.listPendingMigrations(), [])
    await migrateTo({
      ...LATER,
      '9003-contract': { up: async () => {}, minReader: '9001-nicknames' },
    })
    const refusal = {
      name: 'StorageVersionError',
      message: /newer version of Linchpin.*9003-contract/,
    }
    await assert.rejects(database.migrate(), refusal)
    await assert.rejects(database.listPendingMigrations(), refusal)
  })

  it('leave nothing of a migration that fails', async (t) => {
    const { database, migrateTo } = await open(t)
    const failing: SchemaMigrations = {
      ...LATER,
      '9003-broken': {
        up: async (db) => {
          await db.schema.createTable('half').addColumn('x', 'text').execute()
          throw new Error('broken')
        },
      },
    }
    await assert.rejects(migrateTo(failing), /broken/)
    const names = (await database.read.introspection.getTables()).map(({ name }) => name)
    assert.equal(names.includes('half'), false)
    const { pending } = await planMigrations(database.read, failing)
    assert.deepEqual(
      pending.map(({ name }) => name),
      ['9003-broken'],
    )
  })
})

async function listValidIndexes(database: Database): Promise<string[]> {
  const { rows } = await sql<{
    relname: string
  }>`SELECT relname FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indisvalid AND relname = ${INDEX.name}`.execute(database.read)
  return rows.map(({ relname }) => relname)
}

async function untilIndexExists(database: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql`SELECT 1 FROM pg_class WHERE relname = ${INDEX.name}`.execute(
      database.read,
    )
    if (rows.length > 0) return
    await sleep(10)
  }
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => false), sleep(1, true)])
}
