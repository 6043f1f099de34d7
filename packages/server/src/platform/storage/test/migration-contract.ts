import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import { StorageVersionError } from '../storage-error.ts'
import type { Tables } from '../tables.ts'
import type { ContractHarness } from './storage-contract.ts'

/** Every file of the folder: one that is not listed in `migrate.ts` fails the tests. */
const MIGRATIONS = readdirSync(new URL('../../../../migrations', import.meta.url))
  .filter((name) => /^\d{4}-.*\.ts$/.test(name))
  .map((name) => name.replace('.ts', ''))
  .sort()

/** Tests of migrations on every Database. Defines tests. */
export function describeMigrations(harness: ContractHarness): void {
  it('support several nodes that start concurrently, and running again', async () => {
    const openDatabase = await harness.createDatabaseOpener()
    const nodes = await Promise.all([openDatabase(), openDatabase(), openDatabase()])
    await Promise.all(nodes.map((node) => node.migrate()))
    await Promise.all(nodes.map((node) => node.migrate()))
    const [node] = nodes
    assert.ok(node)
    assert.deepEqual(await listMigrations(node), MIGRATIONS)
    for (const openNode of nodes) await openNode.close()
  })

  it('refuse the database of another program, and leave it as it is', async () => {
    const database = await (await harness.createDatabaseOpener())()
    await database.transaction(async (trx) => {
      await sql`create table tokens (id integer)`.execute(trx)
    })
    await assert.rejects(database.migrate(), {
      name: 'StorageVersionError',
      message: /^The database belongs to another program \(.*tokens.* already exists\)/,
    })
    const tables = await database.read.introspection.getTables()
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['tokens'],
    )
    await database.close()
  })

  it('leave nothing behind when one fails near its end', async () => {
    const database = await (await harness.createDatabaseOpener())()
    const createConflictingTable = (trx: Kysely<Tables>) =>
      trx.schema.createTable('audit_events').addColumn('x', 'integer').execute()
    await database.transaction(createConflictingTable)
    await assert.rejects(database.migrate(), /audit_events/)
    const tables = await database.read.introspection.getTables()
    assert.deepEqual(
      tables.map((table) => table.name),
      ['audit_events'],
    )
    await database.transaction((trx) => trx.schema.dropTable('audit_events').execute())
    await database.migrate()
    assert.deepEqual(await listMigrations(database), MIGRATIONS)
    await database.close()
  })

  it('refuse a schema older than that of commit 38d70a5c, which they name, and leave it unchanged', async () => {
    const names = ['0001-initial', '0002-oauth', '0047-setting-checksums']
    for (const older of [names.slice(0, 1), names]) {
      const database = await (await harness.createDatabaseOpener())()
      await database.transaction(async (trx) => {
        await sql`create table kysely_migration (name text, timestamp text)`.execute(trx)
        for (const name of older)
          await sql`insert into kysely_migration values (${name}, '')`.execute(trx)
      })
      await assert.rejects(database.migrate(), {
        name: 'StorageVersionError',
        message: /before commit 38d70a5c\. Start the service of that commit/,
      })
      assert.deepEqual(await listMigrations(database), older)
      await database.close()
    }
  })

  it('reject a newer schema and leave it unchanged', async () => {
    const openDatabase = await harness.createDatabaseOpener()
    const database = await openDatabase()
    await database.migrate()
    await database.transaction((trx) =>
      trx
        .withTables<MigrationTables>()
        .insertInto('kysely_migration')
        .values({ name: '9999-tomorrow', timestamp: new Date().toISOString() })
        .execute(),
    )
    await assert.rejects(database.migrate(), (error) => {
      assert.ok(error instanceof StorageVersionError)
      assert.match(error.message, /newer version of Linchpin.*9999-tomorrow/)
      return true
    })
    assert.deepEqual(await listMigrations(database), [...MIGRATIONS, '9999-tomorrow'])
    await database.close()
  })
}

type MigrationTables = {
  kysely_migration: { name: string; timestamp: string }
}

async function listMigrations(database: Database): Promise<string[]> {
  const rows = await database.read
    .withTables<MigrationTables>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute()
  return rows.map((row) => row.name)
}
