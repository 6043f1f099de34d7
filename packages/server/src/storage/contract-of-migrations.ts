import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ContractHarness } from './contract.ts'
import type { Database } from './database.ts'
import { StorageVersionError } from './storage-error.ts'

/** What migrations promise on every Database. Defines tests. */
export function contractOfMigrations(harness: ContractHarness): void {
  it('is fine with several nodes that start at once, and with running again', async () => {
    const open = await harness.fresh()
    const nodes = await Promise.all([open(), open(), open()])
    await Promise.all(nodes.map((node) => node.migrate()))
    await Promise.all(nodes.map((node) => node.migrate()))
    const [node] = nodes
    assert.ok(node)
    assert.deepEqual(await migrationsOf(node), ['0001-initial'])
    for (const each of nodes) await each.close()
  })

  it('refuses a newer schema and leaves it as it is', async () => {
    const open = await harness.fresh()
    const database = await open()
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
      assert.match(error.message, /newer Linchpin.*9999-tomorrow/)
      return true
    })
    assert.deepEqual(await migrationsOf(database), ['0001-initial', '9999-tomorrow'])
    await database.close()
  })
}

type MigrationTables = {
  kysely_migration: { name: string; timestamp: string }
}

async function migrationsOf(database: Database): Promise<string[]> {
  const rows = await database.read
    .withTables<MigrationTables>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute()
  return rows.map((row) => row.name)
}
