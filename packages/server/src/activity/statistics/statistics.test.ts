import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../platform/storage/id.ts'
import {
  insertSampleRows,
  openTemporaryDatabase,
} from '../../platform/storage/test/test-database.ts'
import {
  createStatistics,
  STEP_MS,
  type StatisticsCount,
  type StatisticsOptions,
} from './statistics.ts'
import { createStatisticsWriter } from './statistics-store.ts'

const NOON = Date.parse('2026-11-22T12:00:00.000Z')
const workspaceId = newId('wsp', 0)

it('Statistics of a full disk are stored once, when there is space again', async (t) => {
  const database = await openTemporaryDatabase(t)
  const { workspaces } = await insertSampleRows(database, ['users', 'workspaces'])
  const statistics = createStatistics({
    write: createStatisticsWriter(database),
    log: { warn: () => {} },
    now: () => NOON,
    flushIntervalMs: 2 ** 30,
  })
  const addAll = () => {
    for (let tool = 0; tool < 1_000; tool += 1)
      statistics.add({
        workspaceId: workspaces.workspace_id,
        metric: 'connects',
        definitionId: newId('def', tool),
        value: 2,
      })
  }
  const limit = (pages: number) =>
    database.transaction((trx) => sql.raw(`pragma max_page_count = ${pages}`).execute(trx))
  addAll()
  // Less than the file has already, so that it stays at its size.
  await limit(1)
  await statistics.flush()
  const read = async () => {
    const { rows } = await sql<{ total: number; rows: number }>`
      select coalesce(sum(count), 0) as total, count(*) as rows from statistics
      where step = 'hour' and definition_id = '' and code = ''`.execute(database.read)
    return rows[0]?.total
  }
  assert.ok(Number(await read()) < 1_000, `${await read()} events are stored on a full disk`)
  addAll()
  await statistics.flush()
  await limit(1_000_000)
  await statistics.flush()
  assert.equal(await read(), 2_000)
  await statistics.stop()
})

describe('createStatistics', () => {
  /** Counts in memory; `written` has what was written. */
  const setUp = (t: TestContext, options: Partial<StatisticsOptions> = {}) => {
    const written: StatisticsCount[] = []
    const warnings: string[] = []
    const clock = { now: NOON }
    const statistics = createStatistics({
      write: async (counts) => void written.push(...counts.map((count) => ({ ...count }))),
      log: { warn: (_detail: unknown, message?: string) => void warnings.push(message ?? '') },
      now: () => clock.now,
      flushIntervalMs: 2 ** 30,
      ...options,
    })
    t.after(() => statistics.stop())
    return { statistics, written, warnings, clock }
  }
  const list = (written: readonly StatisticsCount[]) =>
    written
      .map(({ hour, metric, code, count, sum }) =>
        [(hour - NOON) / STEP_MS.hour, metric, code, count, sum].join(' '),
      )
      .sort()

  it('adds up events of the same hour, metric and code, and writes them once', async (t) => {
    const { statistics, written } = setUp(t)
    for (const value of [10, 20]) statistics.add({ workspaceId, metric: 'proxy_calls', value })
    statistics.add({ workspaceId, metric: 'connect_failures', code: 'link_full' })
    await statistics.flush()
    await statistics.flush()
    assert.deepEqual(list(written), ['0 connect_failures link_full 1 0', '0 proxy_calls  2 30'])
  })

  it('counts an event in the hour in which it happened, however late it is written and wherever the clock jumps', async (t) => {
    const { statistics, written, clock } = setUp(t)
    for (const time of [-1, 0, STEP_MS.hour - 1, STEP_MS.hour, -26 * STEP_MS.hour]) {
      clock.now = NOON + time
      statistics.add({ workspaceId, metric: 'opens' })
    }
    await statistics.flush()
    assert.deepEqual(list(written), [
      '-1 opens  1 0',
      '-26 opens  1 0',
      '0 opens  2 0',
      '1 opens  1 0',
    ])
  })

  it('writes what is left when it stops', async (t) => {
    const { statistics, written } = setUp(t)
    statistics.add({ workspaceId, metric: 'opens' })
    await statistics.stop()
    assert.deepEqual(list(written), ['0 opens  1 0'])
  })

  it('writes every few seconds', async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { statistics } = setUp(t, { flushIntervalMs: 5, write: async () => resolve() })
    statistics.add({ workspaceId, metric: 'opens' })
    await promise
  })

  it('keeps what could not be written, adds what happens meanwhile, and warns once', async (t) => {
    let isAway = true
    const stored: StatisticsCount[] = []
    const { statistics, warnings } = setUp(t, {
      async write(counts) {
        if (isAway) throw new Error('the disk is full')
        stored.push(...counts)
      },
    })
    for (let round = 0; round < 3; round += 1) {
      statistics.add({ workspaceId, metric: 'proxy_calls', value: 5 })
      await statistics.flush()
    }
    isAway = false
    await statistics.flush()
    assert.deepEqual(list(stored), ['0 proxy_calls  3 15'])
    assert.deepEqual(warnings, ['could not store statistics, retrying with the next flush'])
  })

  it('writes in parts, of which a failed one is tried again and the others are not', async (t) => {
    let calls = 0
    const stored: StatisticsCount[] = []
    const { statistics } = setUp(t, {
      async write(counts) {
        calls += 1
        if (calls === 2) throw new Error('the disk is full')
        assert.ok(counts.length <= 100, `${counts.length} counts in one transaction`)
        stored.push(...counts)
      },
    })
    for (let index = 0; index < 1_000; index += 1)
      statistics.add({ workspaceId, metric: 'opens', definitionId: newId('def', index) })
    await statistics.flush()
    assert.equal(stored.length, 100)
    await statistics.flush()
    assert.equal(stored.length, 1_000)
    assert.ok(stored.every(({ count }) => count === 1))
  })

  it('has the code other beyond its bound, drops events beyond twice of it, and says how many', async (t) => {
    const { statistics, written } = setUp(t, { maxKeys: 10 })
    for (let index = 0; index < 15; index += 1)
      statistics.add({ workspaceId, metric: 'connect_failures', code: `code_${index}` })
    for (let index = 0; index < 15; index += 1)
      statistics.add({ workspaceId, metric: 'opens', definitionId: newId('def', index) })
    // A known key still counts.
    statistics.add({ workspaceId, metric: 'connect_failures', code: 'code_0' })
    await statistics.flush()
    const counts = Object.fromEntries(
      written
        .filter(({ metric }) => metric === 'connect_failures')
        .map(({ code, count }) => [code, count]),
    )
    assert.deepEqual([counts.code_0, counts.other], [2, 5])
    assert.equal(written.length, 20)
    assert.equal(statistics.dropped, 6)
    statistics.add({ workspaceId, metric: 'opens', definitionId: newId('def', 99) })
    await statistics.flush()
    assert.equal(written.at(-1)?.code, '', 'after a flush there is room')
  })
})
