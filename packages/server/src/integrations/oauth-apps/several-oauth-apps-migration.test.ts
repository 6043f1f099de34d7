import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { describePostgres } from '../../../test/postgres.ts'
import type { Database } from '../../platform/storage/database.ts'
import { createSchema, listMigrationNames, MIGRATIONS } from '../../platform/storage/migrate.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import { createTemporaryFolder } from '../../platform/storage/test/test-database.ts'

const describeOn = (open: (t: TestContext) => Promise<Database>) => () => {
  it('keep every row and id, and the triggers, and allow what was one app per definition', async (t) => {
    const database = await open(t)
    t.after(() => database.close())
    const earlier = listMigrationNames().filter((name) => name < '0021')
    await database.transaction((trx) => createSchema(trx, MIGRATIONS, earlier))
    const { users, workspaces, bundles, definitions } = createSampleRows()
    const apps = ['oap_a', 'oap_b'].map((oauth_app_id, index) => ({
      oauth_app_id,
      workspace_id: workspaces.workspace_id,
      definition_id: index === 0 ? definitions.definition_id : 'def_b',
      name: `app ${index}`,
      client_id: `client ${index}`,
      sealed_secret: Buffer.from([1, 0, index]),
      scopes: '["a"]',
      created_at: 1 + index,
      updated_at: 2 + index,
      secret_origins: index === 0 ? null : '["https://a.test"]',
      allowed_hosts: index === 0 ? null : '[]',
      failing_since: index === 0 ? null : 7,
      redirect_name: index === 0 ? null : 'ru',
    }))
    const insert = (table: string, row: object) =>
      database.transaction(async (trx) => {
        const names = Object.keys(row).map((name) => sql.ref(name))
        const values = Object.values(row).map((value) => sql`${value}`)
        await sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})`.execute(
          trx,
        )
      })
    for (const [table, row] of Object.entries({ users, workspaces, bundles }))
      await insert(table, row)
    await insert('definitions', definitions)
    for (const key of ['b', 'c'])
      await insert('definitions', { ...definitions, definition_id: `def_${key}`, key })
    for (const app of apps) await insert('oauth_apps', app)

    await database.migrate()

    const readApps = async () =>
      (
        await sql<Record<string, unknown>>`select * from oauth_apps order by created_at`.execute(
          database.read,
        )
      ).rows.map((row) => ({ ...row, sealed_secret: Buffer.from(row.sealed_secret as Uint8Array) }))
    const added = {
      is_default: 1,
      account_identifier: null,
      successor_id: null,
      kind: 'registered',
      issuer: null,
      server_metadata: null,
      // Of a later migration.
      scopes_mode: null,
      optional_scopes: null,
    }
    assert.deepEqual(
      await readApps(),
      apps.map((app) => ({ ...app, ...added })),
    )
    const readEpoch = async () =>
      (await sql<{ epoch: string }>`select epoch from definition_epochs`.execute(database.read))
        .rows[0]?.epoch
    const change = (statement: string) =>
      database.transaction((trx) => sql.raw(statement).execute(trx))
    // As a node of the previous version does: each of its changes starts another epoch.
    for (const write of [
      () => insert('oauth_apps', { ...apps[0], oauth_app_id: 'oap_c', definition_id: 'def_c' }),
      () => change("update oauth_apps set name = 'x' where oauth_app_id = 'oap_c'"),
      () => change("delete from oauth_apps where oauth_app_id = 'oap_c'"),
    ]) {
      const before = await readEpoch()
      await write()
      assert.notEqual(await readEpoch(), before)
    }
    const second = { ...apps[0], oauth_app_id: 'oap_d' }
    await assert.rejects(insert('oauth_apps', second), { kind: 'unique' })
    await insert('oauth_apps', { ...second, is_default: 0 })
    const own = { is_default: 0, account_identifier: 'customer-1' }
    await insert('oauth_apps', { ...second, ...own, oauth_app_id: 'oap_e' })
    await assert.rejects(insert('oauth_apps', { ...second, ...own, oauth_app_id: 'oap_f' }), {
      kind: 'unique',
    })
    await insert('oauth_apps', { ...second, issuer: 'https://a.test', oauth_app_id: 'oap_g' })
    await assert.rejects(
      insert('oauth_apps', {
        ...second,
        definition_id: 'none',
        is_default: 0,
        oauth_app_id: 'oap_h',
      }),
    )
  })
}

describe(
  'The migrations to several OAuth apps (SQLite)',
  describeOn(async (t) =>
    openDatabase({ file: join(await createTemporaryFolder(t), 'linchpin.db'), exclusive: true }),
  ),
)

describePostgres('The migrations to several OAuth apps (PostgreSQL)', (server) =>
  describeOn(async () => openDatabase({ url: await server().createDatabase('several_apps') }))(),
)
