// biome-ignore-all lint/suspicious/noTemplateCurlyInString: URL templates of specs are written like this.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import * as secretEndpoints from '../../../../migrations/0007-secret-endpoints.ts'
import * as writeScopes from '../../../../migrations/0008-write-scopes.ts'
import type { Database } from '../database.ts'
import { StorageVersionError } from '../storage-error.ts'
import type { Tables } from '../tables.ts'
import { createSampleRows } from './sample-rows.ts'
import type { ContractHarness } from './storage-contract.ts'
import { insertSampleRows } from './test-database.ts'

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

  it('0008 adds the parts of write to owner tokens and first tokens only, once', async () => {
    const database = await (await harness.createDatabaseOpener())()
    await database.migrate()
    const { users, tokens } = createSampleRows()
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
      token_id: `tok_${at}` as const,
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

  it('0007 gives existing OAuth apps the endpoints of the spec that their workspace runs', async () => {
    const database = await (await harness.createDatabaseOpener())()
    await database.migrate()
    const { oauth_apps: app } = await insertSampleRows(database)
    const migration: Migration = secretEndpoints
    const migrateSpec = async (spec: object, pinned?: object) => {
      await database.transaction(async (trx) => {
        for (const name of ['secret_origins', 'allowed_hosts'])
          await trx.schema.alterTable('oauth_apps').dropColumn(name).execute()
        await trx.deleteFrom('definition_pins').execute()
        await trx
          .updateTable('definitions')
          .set({ spec: JSON.stringify(spec) })
          .execute()
        const { definition_id, workspace_id } = app
        const ids = { definition_id, workspace_id, version: '2.0.0', source_url: 'x' }
        const code = { bundle_sha256: await getBundleSha256(trx), spec: JSON.stringify(pinned) }
        if (pinned !== undefined)
          await trx
            .insertInto('definition_pins')
            .values({ ...ids, ...code, updated_at: 1, update_due: 0 })
            .execute()
        await migration.up(trx)
      })
      const row = await database.read
        .selectFrom('oauth_apps')
        .selectAll()
        .where('oauth_app_id', '=', app.oauth_app_id)
        .executeTakeFirstOrThrow()
      return [JSON.parse(row.secret_origins ?? ''), JSON.parse(row.allowed_hosts ?? '')]
    }
    const spec = (urls: object, properties = {}) => ({
      auth_specification: {
        OAuth2: {
          authorization_url: 'https://a.example/',
          ...urls,
          input_specification: { properties },
        },
        Key: { token_url: 'https://key.example/t' },
      },
    })
    const fixed = spec({
      token_url: 'https://t.example:8443/t',
      revocation_url: 'https://r.example/',
    })
    const origins = ['https://r.example', 'https://t.example:8443']
    assert.deepEqual(await migrateSpec(fixed), [origins, []])
    assert.deepEqual(await migrateSpec({}, fixed), [origins, []])
    const region = { enum: ['eu', 'us'] }
    const templated = spec({ token_url: 'https://${shop}.acme.example/t' }, { shop: {} })
    assert.deepEqual(await migrateSpec(templated), [[], ['*.acme.example']])
    const enumerated = spec({ token_url: 'https://${region}.acme.example/t' }, { region })
    const regions = ['https://eu.acme.example', 'https://us.acme.example']
    assert.deepEqual(await migrateSpec(enumerated), [regions, []])
    const unrestricted = spec({ token_url: '${base_url}/t' }, { base_url: { format: 'uri' } })
    assert.deepEqual(await migrateSpec(unrestricted), [[], []])
    assert.deepEqual(await migrateSpec({ odd: true }), [[], []])
    await database.close()
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

async function getBundleSha256(trx: Kysely<Tables>): Promise<string> {
  const { sha256 } = await trx
    .selectFrom('bundles')
    .select('sha256')
    .limit(1)
    .executeTakeFirstOrThrow()
  return sha256
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
