import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { insertSampleRows } from '../../src/platform/storage/test/test-database.ts'
import { startPostgres } from '../postgres-cluster.ts'

// Writes the schema of this version, with two sample rows of each table, to migrations/fixtures: at each release,
// `node packages/server/test/schema-fixtures/write-fixtures.ts`.
const FIXTURES = new URL('../../migrations/fixtures/', import.meta.url)
const POSTGRES = '/usr/lib/postgresql'

const newest = readdirSync(new URL('../../migrations', import.meta.url))
  .filter((name) => /^\d{4}-.*\.ts$/.test(name))
  .sort()
  .at(-1)
const version = newest?.slice(0, 4)
writeFileSync(new URL(`${version}.sqlite.sql`, FIXTURES), await dumpSqlite())
writeFileSync(new URL(`${version}.postgres.sql`, FIXTURES), await dumpPostgres())

async function dumpSqlite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-fixture-'))
  const file = join(folder, 'linchpin.db')
  await fill({ file })
  const database = new DatabaseSync(file)
  const schema = database
    .prepare(`select type, name, sql from sqlite_master where sql is not null order by rowid`)
    .all() as { type: string; name: string; sql: string }[]
  const lines = schema.filter(({ type }) => type === 'table').map(({ sql }) => `${sql};`)
  const isOwn = (name: string) => name.startsWith('sqlite_')
  const created = lines.filter((sql) => !/create table "?sqlite_/i.test(sql))
  const rows = schema.flatMap(({ type, name }) => {
    if (type !== 'table') return []
    const found = database.prepare(`select * from "${name}"`).all()
    const clear = isOwn(name) ? [`delete from "${name}";`] : []
    return [...clear, ...found.map((row) => toInsert(name, row))]
  })
  const rest = schema.filter(({ type }) => type !== 'table').map(({ sql }) => `${sql};`)
  database.close()
  await rm(folder, { recursive: true })
  return `${['pragma foreign_keys = off;', ...created, ...rows, ...rest].join('\n')}\n`
}

function toInsert(table: string, row: Record<string, unknown>): string {
  const columns = Object.keys(row).map((name) => `"${name}"`)
  return `insert into "${table}" (${columns.join(', ')}) values (${Object.values(row).map(toLiteral).join(', ')});`
}

function toLiteral(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

async function dumpPostgres(): Promise<string> {
  const server = await startPostgres({ isDurable: false })
  try {
    const url = await server.createDatabase('fixture')
    await fill({ url })
    const program = join(POSTGRES, readdirSync(POSTGRES).sort().at(-1) ?? '', 'bin/pg_dump')
    const flags = ['--no-owner', '--no-privileges', '--column-inserts', '--no-comments']
    const dump = execFileSync(program, [...flags, '--dbname', url], { encoding: 'utf8' })
    // Not for psql, and without what differs from one server to the next.
    const lines = dump
      .split('\n')
      .filter((line) => !/^(?:--|\\|SET |SELECT pg_catalog.set_config|$)/.test(line))
    return `${lines.join('\n')}\n`
  } finally {
    await server.stop()
  }
}

async function fill(location: { url?: string; file?: string }): Promise<void> {
  const database = await openDatabase(location)
  await database.migrate()
  await insertSampleRows(database)
  await insertSampleRows(database)
  await database.close()
}
