import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Kysely } from 'kysely'
import * as writeScopes from '../../migrations/0008-write-scopes.ts'
import type { ContractHarness } from './contract.ts'
import type { Database } from './database.ts'
import { sampleRows } from './sample-rows.ts'
import { StorageVersionError } from './storage-error.ts'
import type { Tables } from './tables.ts'

/** What migrations promise on every Database. Defines tests. */
export function contractOfMigrations(harness: ContractHarness): void {
  it('is fine with several nodes that start at once, and with running again', async () => {
    const open = await harness.fresh()
    const nodes = await Promise.all([open(), open(), open()])
    await Promise.all(nodes.map((node) => node.migrate()))
    await Promise.all(nodes.map((node) => node.migrate()))
    const [node] = nodes
    assert.ok(node)
    assert.deepEqual(await migrationsOf(node), [
      '0001-initial',
      '0002-oauth',
      '0003-links',
      '0004-catalogue',
      '0005-token-life',
      '0006-rotations',
      '0008-write-scopes',
      '0009-token-leases',
      '0010-revocation-claims',
      '0011-instance-keys',
    ])
    for (const each of nodes) await each.close()
  })

  it('lets 0008 add the parts of write to owner tokens and first tokens, once, and to no other', async () => {
    const database = await (await harness.fresh())()
    await database.migrate()
    const { users, tokens } = sampleRows()
    const parts = ' links:write accounts:write definitions:write apps:write workspace:write'
    const cases = [
      ['owner', 'admin read write proxy', `admin read write proxy${parts}`],
      ['environment', 'write', `write${parts}`],
      ['user', 'read write tokens', `read write tokens${parts}`],
      ['minted', 'read write', 'read write'],
      ['owner', 'read tokens', 'read tokens'],
    ] as const
    const rows = cases.map(([origin, scopes], at) => ({
      ...tokens,
      token_id: `tok_${at}`,
      token_hash: new Uint8Array([at]),
      workspace_id: null,
      parent_token_id: null,
      origin,
      scopes,
    }))
    await database.transaction(async (trx) => {
      await trx.insertInto('users').values(users).execute()
      await trx.insertInto('tokens').values(rows).execute()
      await writeScopes.up(trx as unknown as Kysely<unknown>)
      await writeScopes.up(trx as unknown as Kysely<unknown>)
    })
    const found = await database.read.selectFrom('tokens').selectAll().orderBy('token_id').execute()
    assert.deepEqual(
      found.map(({ scopes }) => scopes),
      cases.map(([, , expected]) => expected),
    )
    await database.close()
  })

  it('leaves nothing behind when it fails near its end', async () => {
    const database = await (await harness.fresh())()
    const inTheWay = (trx: Kysely<Tables>) =>
      trx.schema.createTable('audit_events').addColumn('x', 'integer').execute()
    await database.transaction(inTheWay)
    await assert.rejects(database.migrate(), /audit_events/)
    const tables = await database.read.introspection.getTables()
    assert.deepEqual(
      tables.map((table) => table.name),
      ['audit_events'],
    )
    await database.transaction((trx) => trx.schema.dropTable('audit_events').execute())
    await database.migrate()
    assert.deepEqual(await migrationsOf(database), [
      '0001-initial',
      '0002-oauth',
      '0003-links',
      '0004-catalogue',
      '0005-token-life',
      '0006-rotations',
      '0008-write-scopes',
      '0009-token-leases',
      '0010-revocation-claims',
      '0011-instance-keys',
    ])
    await database.close()
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
    assert.deepEqual(await migrationsOf(database), [
      '0001-initial',
      '0002-oauth',
      '0003-links',
      '0004-catalogue',
      '0005-token-life',
      '0006-rotations',
      '0008-write-scopes',
      '0009-token-leases',
      '0010-revocation-claims',
      '0011-instance-keys',
      '9999-tomorrow',
    ])
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
