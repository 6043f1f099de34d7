import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { testApp } from '../../../test/test-app.ts'
import { createDrainStore } from './drain-store.ts'

describeOnBothDatabases('What stops cut off', (newUrl) => {
  it('counts at the timeout, or after it if the process was killed; what has ended does not count', async (t) => {
    const { database, close } = await testApp({ url: await newUrl() })
    t.after(close)
    let now = 1_000
    const store = createDrainStore(database, () => now)
    const expect = async (timeout: readonly number[], killed: readonly number[]) => {
      const counts = await store.read()
      const values = [counts.timeout, counts.killed].map(({ requests, jobs }) => [requests, jobs])
      assert.deepEqual(values, [timeout, killed])
    }
    await expect([0, 0], [0, 0])
    await store.save('ends', { requests: 9, jobs: 9 }, 2_000)
    await store.save('killed', { requests: 9, jobs: 9 }, 2_000)
    await store.save('killed', { requests: 2, jobs: 1 }, 2_000)
    await store.settle('times out', { requests: 4, jobs: 0 })
    await expect([4, 0], [0, 0])
    await store.end('ends')
    now = 2_000
    await expect([4, 0], [2, 1])
    await store.settle('times out again', { requests: 1, jobs: 1 })
    await store.end('another')
    await expect([5, 1], [2, 1])
    const rows = await database.read.selectFrom('drains').select('drain_id').execute()
    assert.deepEqual(rows.map((row) => row.drain_id).sort(), ['sum:killed', 'sum:timeout'])
  })
})
