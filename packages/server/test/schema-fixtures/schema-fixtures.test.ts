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

const FIXTURES = new URL('../../migrations/fixtures/', import.meta.url)
const kills = Number(process.env.FIXTURE_KILLS ?? 1)
const longestMs = 400

describe('Released schemas (SQLite)', () => {
  for (const { version, text } of readFixtures('sqlite'))
    it(`${version} migrates to the newest schema without changing a row, also when killed`, async (t) => {
      const file = join(await createTemporaryFolder(t), 'linchpin.db')
      const plain = new DatabaseSync(file)
      plain.exec(`begin; ${text} commit`)
      plain.close()
      await assertMigrates({ file }, version)
    })
})

describePostgres('Released schemas (PostgreSQL)', (server) => {
  for (const { version, text } of readFixtures('postgres'))
    it(`${version} migrates to the newest schema without changing a row, also when killed`, async () => {
      const url = await server().createDatabase(`schema_${version}`)
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(text)
      await client.end()
      await assertMigrates({ url }, version)
    })
})

function readFixtures(dialect: string) {
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith(`.${dialect}.sql`))
  assert.notEqual(names.length, 0)
  return names.sort().map((name) => ({
    version: name.slice(0, 4),
    text: readFileSync(new URL(name, FIXTURES), 'utf8'),
  }))
}

async function assertMigrates(
  location: { file: string } | { url: string },
  version: string,
): Promise<void> {
  const database = await openDatabase(location)
  const columns = await listColumns(database)
  const before = await hashTables(database, columns)
  assert.ok(Object.keys(before).length > 25, 'the sample rows')
  const pending = await database.listPendingMigrations()
  assert.ok(pending.length > 0 && pending.every(({ name }) => name.slice(0, 4) > version))
  await database.close()
  for (let count = 0; count < kills; count += 1)
    await migrateAndKill(Object.values(location)[0] ?? '', Math.random() * longestMs)
  const migrated = await openDatabase(location)
  await migrated.migrate()
  assert.deepEqual(await migrated.listPendingMigrations(), [])
  assert.deepEqual(await hashTables(migrated, columns), before)
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

type Columns = Readonly<Record<string, readonly string[]>>

async function listColumns(database: Database): Promise<Columns> {
  const tables = await database.read.introspection.getTables()
  return Object.fromEntries(
    tables
      .filter(({ name }) => !name.startsWith('sqlite_'))
      .map(({ name, columns }) => [name, columns.map((column) => column.name).sort()]),
  )
}

/** The rows of each table, as far as it has the columns of the fixture. */
async function hashTables(database: Database, columns: Columns): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const [table, names] of Object.entries(columns)) {
    const { rows } = await sql<
      Record<string, unknown>
    >`select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)}`.execute(
      database.read,
    )
    const lines = rows.map((row) => JSON.stringify(names.map((name) => toText(row[name]))))
    if (rows.length > 0) hashes[table] = `${rows.length} ${hash('sha256', lines.sort().join('\n'))}`
  }
  return hashes
}

const toText = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
