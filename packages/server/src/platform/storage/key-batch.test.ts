import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createKeyBatch } from './postgres-database.ts'
import { StorageError } from './storage-error.ts'

describe('createKeyBatch', () => {
  it('reads the keys of one iteration together, and further ones when the batch has ended', async () => {
    const batches: string[][] = []
    const find = createKeyBatch<string, string>({
      one: async (key) => {
        batches.push([key])
        return key
      },
      many: async (keys) => {
        batches.push([...keys])
        return keys
      },
    })
    const first = [find('a'), find('b')]
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(await Promise.all([...first, find('c')]), ['a', 'b', 'c'])
    assert.deepEqual(batches, [['a', 'b'], ['c']])
  })

  it('does not make keys wait for a batch that is slow', async () => {
    const slow = Promise.withResolvers<string>()
    const find = createKeyBatch<string, string>({
      one: async (key) => (key === 'slow' ? slow.promise : key),
      many: async (keys) => keys,
    })
    const stuck = find('slow')
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await find('a'), 'a')
    slow.resolve('at last')
    assert.equal(await stuck, 'at last')
  })

  it('reads each key alone if the batch fails, unless the database is unreachable', async () => {
    let error: Error = new StorageError('unavailable', 'no')
    const find = createKeyBatch<string, string>({
      one: async (key) => {
        if (key === 'bad') throw new Error('bad key')
        return key
      },
      many: async () => {
        throw error
      },
    })
    const settle = async () =>
      (await Promise.allSettled([find('a'), find('bad')])).map(({ status }) => status)
    assert.deepEqual(await settle(), ['rejected', 'rejected'])
    error = new Error('a key is not text')
    assert.deepEqual(await settle(), ['fulfilled', 'rejected'])
  })
})
