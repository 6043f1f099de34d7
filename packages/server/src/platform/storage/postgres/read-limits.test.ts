import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReadLimits, findTable } from './read-limits.ts'

describe('The limits of reads', () => {
  it('leave lookups connections that lists of any table cannot use', async () => {
    const { run: limit } = createReadLimits(6, 50)
    const lists = occupy(20, (index, read) => limit('list', `table ${index}`, read))
    await nextTurn()
    assert.equal(lists.count(), 4)
    assert.equal(await limit('lookup', 'tokens', async () => 'found'), 'found')
    lists.release()
  })

  it('leave other tables connections that one table cannot use', async () => {
    const { run: limit, countWaiting } = createReadLimits(6, 5_000)
    const lists = occupy(10, (_, read) => limit('list', 'links', read))
    const lookups = occupy(10, (_, read) => limit('lookup', 'links', read))
    await nextTurn()
    assert.equal(lists.count(), 2)
    assert.equal(lookups.count(), 2)
    assert.equal(countWaiting(), 16)
    assert.equal(await limit('list', 'accounts', async () => 'listed'), 'listed')
    assert.equal(await limit('lookup', 'tokens', async () => 'found'), 'found')
    lists.release()
    lookups.release()
    await Promise.all([lists.ended, lookups.ended])
  })

  it('give one table all but a quarter while no other reads', async () => {
    const { run: limit } = createReadLimits(8, 5_000)
    const lookups = occupy(20, (_, read) => limit('lookup', 'accounts', read))
    await nextTurn()
    assert.equal(lookups.count(), 6)
    lookups.release()
    await lookups.ended
    assert.equal(lookups.count(), 20)
  })

  it('start what waits in turns of the tables, and refuse it after the timeout as unavailable', async () => {
    const { run: limit } = createReadLimits(2, 30)
    const order: string[] = []
    const first = occupy(1, (_, read) => limit('list', 'a', read))
    const read = (table: string) => limit('list', table, async () => void order.push(table))
    const waiting = [read('a'), read('a'), read('b'), read('b')]
    first.release()
    await Promise.all(waiting)
    assert.deepEqual(order, ['a', 'b', 'a', 'b'])
    const second = occupy(1, (_, work) => limit('list', 'a', work))
    await assert.rejects(read('a'), { name: 'StorageError', kind: 'unavailable' })
    second.release()
    await read('a')
  })

  it('find the table of a statement, also of one for many keys', () => {
    assert.equal(findTable('select "x" from "links" as "l" inner join "users" on true'), 'links')
    assert.equal(
      findTable(
        'select * from unnest($1::text[]) cross join lateral (select * from "tokens") as f',
      ),
      'tokens',
    )
    assert.equal(findTable('select 1'), '')
  })
})

/** Starts reads that do not end until they are released. */
function occupy(count: number, start: (index: number, read: () => Promise<void>) => Promise<void>) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let running = 0
  const reads = Array.from({ length: count }, (_, index) =>
    start(index, () => {
      running += 1
      return promise
    }),
  )
  return { count: () => running, release: resolve, ended: Promise.allSettled(reads) }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
