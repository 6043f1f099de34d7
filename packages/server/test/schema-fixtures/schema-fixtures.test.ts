import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { createTemporaryFolder } from '../../src/platform/storage/test/test-database.ts'
import { describePostgres } from '../postgres.ts'
import { describeSchema } from './describe-schema.ts'

const FIXTURES = new URL('../../migrations/fixtures/', import.meta.url)
const kills = Number(process.env.FIXTURE_KILLS ?? 1)
const longestMs = 400

describe('Released schemas (SQLite)', () => {
  for (const { version, text } of readFixtures('sqlite'))
    it(`${version} becomes the schema of a new database without changing a row, also when killed`, async (t) => {
      const file = join(await createTemporaryFolder(t), 'linchpin.db')
      const plain = new DatabaseSync(file)
      plain.exec(`begin; ${text} commit`)
      plain.close()
      await assertMigrates({ file }, { file: join(await createTemporaryFolder(t), 'new.db') })
    })
})

describe('A replay that commit 38d70a5c has not finished (SQLite)', () => {
  it('is queued by the migration', async (t) => {
    const file = join(await createTemporaryFolder(t), 'linchpin.db')
    const plain = new DatabaseSync(file)
    plain.exec(`begin; ${readFixture('sqlite')} commit; ${UNFINISHED_REPLAY}`)
    plain.close()
    await assertQueues({ file })
  })
})

describePostgres('A replay that commit 38d70a5c has not finished (PostgreSQL)', (server) => {
  it('is queued by the migration', async () => {
    const url = await server().createDatabase('unfinished_replay')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(readFixture('postgres'))
    await client.query(UNFINISHED_REPLAY)
    await client.end()
    await assertQueues({ url })
  })
})

/** One event that the endpoint receives, and one that it has received. */
const UNFINISHED_REPLAY = `
  update events set sequence = 2;
  update webhook_endpoints set replay = '{"after":0,"until":9,"since":1,"isDeliveredIncluded":false}',
    integration_definition_ids = (select '["' || subject || '"]' from events where sequence = 2)`

const readFixture = (dialect: string): string =>
  readFileSync(new URL(`38d70a5c.${dialect}.sql`, FIXTURES), 'utf8')

async function assertQueues(location: Location): Promise<void> {
  const database = await openDatabase(location)
  await database.migrate()
  const queued = await database.read
    .selectFrom('deliveries')
    .select(['sequence', 'round'])
    .where('state', '=', 'queued')
    .execute()
  const counts = await database.read.selectFrom('webhook_endpoints').select('queued').execute()
  await database.close()
  assert.deepEqual(
    queued.map((row) => ({ ...row })),
    [{ sequence: 2, round: 0 }],
  )
  assert.deepEqual(
    counts.map((row) => row.queued),
    [1],
  )
}

describePostgres('Released schemas (PostgreSQL)', (server) => {
  for (const { version, text } of readFixtures('postgres'))
    it(`${version} becomes the schema of a new database without changing a row, also when killed`, async () => {
      const url = await server().createDatabase(`schema_${version}`)
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(text)
      await client.end()
      await assertMigrates({ url }, { url: await server().createDatabase(`new_${version}`) })
    })
})

function readFixtures(dialect: string) {
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith(`.${dialect}.sql`))
  assert.notEqual(names.length, 0)
  return names.sort().map((name) => ({
    version: name.slice(0, name.indexOf('.')),
    text: readFileSync(new URL(name, FIXTURES), 'utf8'),
  }))
}

type Location = { readonly file: string } | { readonly url: string }

async function assertMigrates(location: Location, newLocation: Location): Promise<void> {
  const empty = await openDatabase(newLocation)
  await empty.migrate()
  const current = await listColumns(empty)
  const schema = await describeSchema(empty)
  await empty.close()
  const database = await openDatabase(location)
  const columns = selectOld(current, await listColumns(database))
  const before = await hashTables(database, columns)
  assert.deepEqual(Object.keys(before), Object.keys(columns), 'each table has sample rows')
  assert.notDeepEqual(await database.listPendingMigrations(), [])
  await database.close()
  for (let count = 0; count < kills; count += 1)
    await migrateAndKill(Object.values(location)[0] ?? '', Math.random() * longestMs)
  const migrated = await openDatabase(location)
  await migrated.migrate()
  assert.deepEqual(await migrated.listPendingMigrations(), [])
  assert.deepEqual(await hashTables(migrated, columns), before)
  assert.deepEqual(await describeSchema(migrated), schema)
  await migrated.close()
}

/** Starts a migration in another process, and kills it after a time. */
async function migrateAndKill(location: string, afterMs: number): Promise<void> {
  const program = join(import.meta.dirname, 'migrate-location.ts')
  const child = spawn(process.execPath, [program, location], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), exited])
  await sleep(afterMs)
  child.kill('SIGKILL')
  await exited
}

/** Without the tables and columns that later migrations add. */
function selectOld(current: Columns, old: Columns): Columns {
  return Object.fromEntries(
    Object.entries(current).flatMap(([table, names]) => {
      const oldNames = old[table] ?? old[OLD_NAMES[table] ?? '']
      return oldNames === undefined
        ? []
        : [[table, names.filter((name) => oldNames.includes(name))]]
    }),
  )
}

type Columns = Readonly<Record<string, readonly string[]>>

async function listColumns(database: Database): Promise<Columns> {
  const tables = await database.read.introspection.getTables()
  return Object.fromEntries(
    tables
      .filter(({ name }) => !/^(?:sqlite_|kysely_)/.test(name))
      .map(({ name, columns }) => [name, columns.map((column) => column.name).sort()]),
  )
}

/** What commit 38d70a5c called tables that now have other names. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  oauth_sessions: 'oauth_attempts',
  submissions: 'visit_attempts',
  previous_versions: 'kept_versions',
}

/** The rows of each table that has some, in these columns. */
async function hashTables(database: Database, columns: Columns): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  const tables = await database.read.introspection.getTables()
  const named = (table: string) =>
    tables.some(({ name }) => name === table) ? table : (OLD_NAMES[table] ?? table)
  for (const [table, names] of Object.entries(columns)) {
    const { rows } = await sql<
      Record<string, unknown>
    >`select ${sql.join(names.map(selectColumn))} from ${sql.table(named(table))}`.execute(
      database.read,
    )
    const lines = rows.map((row) => JSON.stringify(names.map((name) => toText(row[name]))))
    if (rows.length > 0) hashes[table] = `${rows.length} ${hash('sha256', lines.sort().join('\n'))}`
  }
  return hashes
}

/** Commit 38d70a5c had a checksum in the same number. */
const selectColumn = (name: string) =>
  name === 'response_schema' ? sql`response_schema % 16 as response_schema` : sql.ref(name)

const toText = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
