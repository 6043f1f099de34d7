import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import { createSampleRows, type SampleRows } from '../../platform/storage/test/sample-rows.ts'
import { insertSampleRows } from '../../platform/storage/test/test-database.ts'
import { createDefinitionStore } from './definition-store.ts'

describeOnBothDatabases('The epoch of the definitions of a workspace', (newUrl) => {
  let t: TestContext
  let rows: SampleRows
  before(async () => {
    t = await testContext({ url: await newUrl() })
    rows = await insertSampleRows(t.database, ['users', 'workspaces', 'bundles', 'definitions'])
  })
  after(() => t.close())

  const read = (workspaceId = rows.workspaces.workspace_id) =>
    createDefinitionStore(t.database).readEpoch(workspaceId)
  const assertChanges = async (title: string, change: (trx: Transaction) => Promise<unknown>) => {
    const before = await read()
    await t.database.transaction(async (trx) => {
      await change(trx)
    })
    assert.notEqual(await read(), before, title)
  }

  it('changes with each row that is inserted, updated or deleted', async () => {
    const { workspace_id, definition_id, bundle_sha256 } = rows.definitions
    const samples = createSampleRows()
    const ids = { workspace_id, definition_id }
    const changed = {
      definitions: { ...samples.definitions, workspace_id, bundle_sha256, key: 'another' },
      definition_icons: { ...samples.definition_icons, ...ids },
      definition_pins: { ...samples.definition_pins, ...ids, bundle_sha256 },
      oauth_apps: { ...samples.oauth_apps, ...ids },
    }
    for (const [name, row] of Object.entries(changed)) {
      const table = name as keyof typeof changed
      const where = Object.entries(row).slice(0, 1)[0] as [never, never]
      await assertChanges(`${table} insert`, (trx) => trx.insertInto(table).values(row).execute())
      await assertChanges(`${table} update`, (trx) =>
        trx
          .updateTable(table)
          .set({ updated_at: 5 } as never)
          .where(where[0], '=', where[1])
          .execute(),
      )
      await assertChanges(`${table} delete`, (trx) =>
        trx.deleteFrom(table).where(where[0], '=', where[1]).execute(),
      )
    }
  })

  it('changes with the definitions of the catalogue, for every workspace', async () => {
    const { definitions } = createSampleRows()
    const workspace_id = CATALOGUE_WORKSPACE_ID
    const { bundle_sha256 } = rows.definitions
    await assertChanges('catalogue', async (trx) => {
      await trx
        .insertInto('workspaces')
        .values({ ...rows.workspaces, workspace_id, slug: 'catalogue' })
        .execute()
      await trx
        .insertInto('definitions')
        .values({ ...definitions, workspace_id, bundle_sha256 })
        .execute()
    })
  })

  it('stays the same after a change of another workspace, another table or a transaction that fails', async () => {
    const before = await read()
    const other = await insertSampleRows(t.database)
    const failed = t.database.transaction(async (trx) => {
      await trx.updateTable('definitions').set({ name: 'No' }).execute()
      throw new Error('no')
    })
    await assert.rejects(failed, /no/)
    await t.database.transaction((trx) =>
      trx.updateTable('links').set({ workspace_id: rows.workspaces.workspace_id }).execute(),
    )
    assert.equal(await read(), before)
    assert.notEqual(await read(other.workspaces.workspace_id), before)
  })

  it('changes for concurrent transactions without deadlocks', async () => {
    const { definition_id } = rows.definitions
    const before = await read()
    const changes = Array.from({ length: 40 }, (_, index) =>
      t.database.transaction(
        (trx) =>
          trx
            .updateTable('definitions')
            .set({ name: `Name ${index}` })
            .where('definition_id', '=', definition_id)
            .execute(),
        { serializable: index % 2 === 0 },
      ),
    )
    await Promise.all(changes)
    assert.notEqual(await read(), before)
  })
})
