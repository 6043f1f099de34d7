import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { AccountId } from './account.ts'
import { type AccountTime, createAccountUse, USE_STEP_MS } from './account-use-store.ts'

describe('createAccountUse', () => {
  it('writes an account at most every 15 minutes, in batches', async (t) => {
    let now = USE_STEP_MS
    const written: AccountId[][] = []
    const use = createAccountUse({
      now: () => now,
      write: async (times) => void written.push(times.map(({ accountId }) => accountId)),
      flushIntervalMs: 5,
    })
    for (let index = 0; index < 250; index += 1) use.add(`acc_${index % 150}`, 'def_1')
    await t.waitFor(() => assert.equal(written.flat().length, 150))
    assert.deepEqual(
      written.map(({ length }) => length),
      [100, 50],
    )
    use.add('acc_1', 'def_1')
    now += USE_STEP_MS - 1
    use.add('acc_1', 'def_1')
    await use.stop()
    assert.equal(written.flat().length, 150)
    now += 1
    use.add('acc_1', 'def_1')
    await use.stop()
    assert.deepEqual(written.at(-1), ['acc_1'])
  })

  it('writes the time of the last use, not that of the flush', async () => {
    let now = 1_000
    const written: AccountTime[] = []
    const use = createAccountUse({
      now: () => now,
      write: async (times) => void written.push(...times),
    })
    use.add('acc_1', 'def_1')
    now = 2_000
    use.add('acc_1', 'def_1')
    now = 9_000
    await use.stop()
    assert.deepEqual(written, [{ accountId: 'acc_1', at: 2_000 }])
  })

  it('writes the first use since a definition is suspect at once, and no more of it', async () => {
    let now = USE_STEP_MS
    const suspects = new Map<DefinitionId, number>()
    const written: AccountTime[] = []
    const use = createAccountUse({
      now: () => now,
      write: async (times) => void written.push(...times),
      readSuspects: async () => suspects,
    })
    const useAll = async () => {
      now += 1_000
      for (const definitionId of ['def_1', 'def_2'] as const)
        use.add(`acc_${definitionId}`, definitionId)
      await use.stop()
      return written.splice(0).map(({ accountId }) => accountId)
    }
    assert.deepEqual(await useAll(), ['acc_def_1', 'acc_def_2'])
    assert.deepEqual(await useAll(), [])
    suspects.set('def_2', now)
    await use.stop()
    assert.deepEqual(await useAll(), ['acc_def_2'])
    assert.deepEqual(await useAll(), [])
  })

  it('notes uses while it cannot be known what is suspect', async () => {
    const written: AccountTime[] = []
    const use = createAccountUse({
      now: () => 1_000,
      write: async (times) => void written.push(...times),
      readSuspects: () => Promise.reject(new Error('the database is away')),
    })
    use.add('acc_1', 'def_1')
    await use.stop()
    assert.deepEqual(written, [{ accountId: 'acc_1', at: 1_000 }])
  })

  it('tries a failed write again, and stays bounded', async () => {
    let failures = 1
    const written: AccountId[] = []
    const use = createAccountUse({
      now: () => 1,
      write: async (times) => {
        if (failures-- > 0) throw new Error('the database is away')
        written.push(...times.map(({ accountId }) => accountId))
      },
      maxAccounts: 10,
    })
    for (let index = 0; index < 20; index += 1) use.add(`acc_${index}`, 'def_1')
    await use.stop()
    assert.equal(written.length, 0)
    await use.stop()
    assert.equal(written.length, 10)
  })
})
