import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccountStatusCounts } from './account-status-count-store.ts'

describe('Counts of accounts by status', () => {
  it('are read at most once in five minutes, and again at once after an error', async () => {
    let now = 0
    let reads = 0
    let fails = true
    const count = async () => {
      reads += 1
      if (fails) throw new Error('away')
      return [{ status: 'active' as const, count: reads }]
    }
    const read = createAccountStatusCounts({ count }, () => now)
    await assert.rejects(read())
    fails = false
    assert.deepEqual(await read(), [{ status: 'active', count: 2 }])
    now = 5 * 60_000 - 1
    assert.deepEqual(
      await Promise.all([read(), read()]),
      Array(2).fill([{ status: 'active', count: 2 }]),
    )
    now += 1
    assert.deepEqual(await read(), [{ status: 'active', count: 3 }])
  })
})
