import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import * as migration from '../../../migrations/0033-sessions-without-link.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { createRowChanger } from './test/changed-rows.ts'
import { insertSampleRows } from './test/test-database.ts'

describeOnBothDatabases('The migration that makes links of sessions optional', (newUrl) => {
  let folder: string
  let database: Database
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'linchpin-migration-'))
    database = await openDatabase({ url: await newUrl(), file: join(folder, 'linchpin.db') })
    await database.migrate()
    await insertSampleRows(database)
    // A later migration created it for the columns that this one replaces.
    await createRowChanger(database).withoutTrigger('connect_sessions')
  })
  after(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })

  const readRows = async () => [
    await database.read.selectFrom('connect_sessions').selectAll().execute(),
    await database.read.selectFrom('visit_attempts').selectAll().execute(),
  ]
  const setLink = (link_id: `lnk_${string}` | null) =>
    database.transaction(async (trx) => {
      await trx.updateTable('connect_sessions').set({ link_id }).execute()
      await trx.updateTable('visit_attempts').set({ link_id }).execute()
    })

  it('keeps every value, and the indexes that it replaces', async () => {
    const rows = await readRows()
    assert.deepEqual(
      rows.map((each) => each.length),
      [1, 1],
    )
    assert.ok(rows.every(([row]) => row?.link_id != null))
    // The second time, it finds the indexes that the first one created.
    for (let round = 0; round < 2; round += 1)
      await database.transaction((trx) => migration.up(trx as never))
    assert.deepEqual(await readRows(), rows)
  })

  it('allows rows without a link, but none with an unknown one', async () => {
    await assert.rejects(setLink('lnk_unknown'))
    await setLink(null)
    assert.ok((await readRows()).every(([row]) => row?.link_id === null))
  })
})
