import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from './account.ts'
import { createAccountUse, USE_STEP_MS } from './account-use-store.ts'

describe('createAccountUse', () => {
  it('writes an account at most every 15 minutes, in batches', async (t) => {
    let now = USE_STEP_MS
    const written: AccountId[][] = []
    const use = createAccountUse({
      now: () => now,
      write: async (accountIds) => void written.push([...accountIds]),
      flushIntervalMs: 5,
    })
    for (let index = 0; index < 250; index += 1) use.add(`acc_${index % 150}`)
    await t.waitFor(() => assert.equal(written.flat().length, 150))
    assert.deepEqual(
      written.map(({ length }) => length),
      [100, 50],
    )
    use.add('acc_1')
    now += USE_STEP_MS - 1
    use.add('acc_1')
    await use.stop()
    assert.equal(written.flat().length, 150)
    now += 1
    use.add('acc_1')
    await use.stop()
    assert.deepEqual(written.at(-1), ['acc_1'])
  })

  it('tries a failed write again, and stays bounded', async () => {
    let failures = 1
    const written: AccountId[] = []
    const use = createAccountUse({
      now: () => 1,
      write: async (accountIds) => {
        if (failures-- > 0) throw new Error('the database is away')
        written.push(...accountIds)
      },
      maxAccounts: 10,
    })
    for (let index = 0; index < 20; index += 1) use.add(`acc_${index}`)
    await use.stop()
    assert.equal(written.length, 0)
    await use.stop()
    assert.equal(written.length, 10)
  })
})
