import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readBatches, type StoredDataKeys } from './key-store.ts'

describe('readBatches', () => {
  it('reads a list that is longer than a batch to its end, each workspace once', async () => {
    const all = Array.from({ length: 2_500 }, (_, index): StoredDataKeys => {
      const workspaceId = `wsp_${String(index).padStart(5, '0')}` as const
      return {
        workspaceId,
        number: 1,
        keyId: 'k',
        wrapped: new Uint8Array(),
        previous: null,
        updatedAt: null,
      }
    })
    const read: StoredDataKeys[] = []
    const list = async (limit: number, after = '') =>
      all.filter(({ workspaceId }) => workspaceId > after).slice(0, limit)
    for await (const batch of readBatches(list)) read.push(...batch)
    assert.deepEqual(read, all)
  })
})
