import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describePostgres } from '../../../test/postgres.ts'
import { createLog } from '../../platform/http/log.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId, newLinkId } from '../../platform/storage/id.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import {
  insertSampleRows,
  openTemporaryDatabase,
} from '../../platform/storage/test/test-database.ts'
import { createLinkCounters, type LinkCountersOptions } from './link-counter-store.ts'

const log = createLog('error', { write() {} })

describe('Link counters', () => {
  defineTests(openTemporaryDatabase)
})

describePostgres('counters of links, on PostgreSQL', (server) => {
  let count = 0
  defineTests(async (t) => {
    const database = await openDatabase({
      url: await server().createDatabase(`counters_${++count}`),
    })
    t.after(() => database.close())
    await database.migrate()
    return database
  })
})

const WORKSPACE = newId('wsp', 0)

function defineTests(open: (t: TestContext) => Promise<Database>): void {
  const setUp = async (t: TestContext) => {
    const database = await open(t)
    const { links } = await insertSampleRows(database)
    await database.transaction((trx) => trx.deleteFrom('link_counters').execute())
    const createNode = (options: Partial<LinkCountersOptions> = {}) => {
      const counters = createLinkCounters({ database, log, flushIntervalMs: 3_600_000, ...options })
      t.after(() => counters.stop())
      return counters
    }
    const listRows = async () => {
      const all = await database.read
        .selectFrom('link_counters')
        .selectAll()
        .orderBy('name')
        .execute()
      return all.map(({ link_id, name, count }) => `${link_id === links.link_id} ${name} ${count}`)
    }
    return { database, linkId: links.link_id, node: createNode, rows: listRows }
  }

  it('link counters are flushed every second', async (t) => {
    const { linkId, node: createNode, rows: listRows } = await setUp(t)
    const counters = createNode({ flushIntervalMs: 400 })
    counters.opened(linkId, WORKSPACE)
    assert.deepEqual(await listRows(), [], 'counts are not written immediately')
    for (let attempt = 0; attempt < 200 && (await listRows()).length === 0; attempt += 1)
      await sleep(10)
    assert.deepEqual(await listRows(), ['true opened 1'])
  })

  it('link counters add up across flushes and across nodes that flush simultaneously', async (t) => {
    const { linkId, node: createNode, rows: listRows } = await setUp(t)
    const nodes = [createNode(), createNode(), createNode()]
    for (let round = 0; round < 5; round += 1) {
      for (const counters of nodes) {
        for (let index = 0; index < 10; index += 1) counters.opened(linkId, WORKSPACE)
        counters.attempted(linkId)
        counters.succeeded(linkId)
        counters.refused(linkId, 'link_full')
      }
      await Promise.all(nodes.map((counters) => counters.flush()))
    }
    assert.deepEqual(await listRows(), [
      'true attempted 15',
      'true connected 15',
      'true opened 150',
      'true refused:link_full 15',
    ])
  })

  it('link counters are flushed when the service stops', async (t) => {
    const { linkId, node: createNode, rows: listRows } = await setUp(t)
    const counters = createNode()
    counters.attempted(linkId)
    await counters.stop()
    assert.deepEqual(await listRows(), ['true attempted 1'])
  })

  it('link counters skip links that do not exist and store the other pending counts', async (t) => {
    const { linkId, node: createNode, rows: listRows } = await setUp(t)
    const counters = createNode()
    for (let index = 0; index < 1_200; index += 1) counters.opened(newLinkId(), WORKSPACE)
    counters.refused('lnk_nonsense', 'link_full')
    counters.opened(linkId, WORKSPACE)
    await counters.flush()
    assert.deepEqual(await listRows(), ['true opened 1'])
  })

  it('link counters stay pending while the database fails and go into the next flush', async (t) => {
    const { database, linkId, node: createNode, rows: listRows } = await setUp(t)
    const counters = createNode()
    const rename = (from: string, to: string) =>
      database.transaction((trx) =>
        sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(trx),
      )
    await rename('link_counters', 'gone')
    counters.opened(linkId, WORKSPACE)
    await counters.flush()
    counters.opened(linkId, WORKSPACE)
    await counters.flush()
    await rename('gone', 'link_counters')
    counters.attempted(linkId)
    await counters.flush()
    assert.deepEqual(await listRows(), ['true attempted 1', 'true opened 2'])
    await counters.flush()
    assert.deepEqual(
      await listRows(),
      ['true attempted 1', 'true opened 2'],
      'each count is added once',
    )
  })

  it('link counters drop counts beyond maxPending', async (t) => {
    const { linkId, node: createNode, rows: listRows } = await setUp(t)
    const counters = createNode({ maxPending: 2 })
    for (let index = 0; index < 3; index += 1) {
      counters.opened(linkId, WORKSPACE)
      counters.attempted(linkId)
      counters.succeeded(linkId)
    }
    await counters.flush()
    assert.deepEqual(await listRows(), ['true attempted 3', 'true opened 3'])
    counters.succeeded(linkId)
    await counters.flush()
    assert.equal((await listRows()).length, 3, 'flushing makes room for further counts')
  })

  it('link counters store error codes only, never arbitrary text', async (t) => {
    const { linkId, node: createNode, rows: listRows } = await setUp(t)
    const counters = createNode()
    for (const text of ['<b>', 'x'.repeat(65), '', 'Zoë', 'a b']) counters.refused(linkId, text)
    await counters.flush()
    assert.deepEqual(await listRows(), ['true refused:unknown 5'])
  })
}
