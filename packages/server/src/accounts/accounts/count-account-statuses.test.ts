import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectOk, testContext } from '../../../test/test-context.ts'
import type { AccountId } from './account.ts'
import {
  createAccountStatusCountStore,
  createAccountStatusCounts,
} from './account-status-count-store.ts'

const NONE = {
  active: 0,
  pending: 0,
  needs_reauth: 0,
  error: 0,
}

describe('Counts of accounts by status', () => {
  it('are read at most once in five minutes, and again at once after an error', async () => {
    let now = 0
    let reads = 0
    let fails = true
    const count = async () => {
      reads += 1
      if (fails) throw new Error('away')
      return { ...NONE, active: reads }
    }
    const read = createAccountStatusCounts({ count }, () => now)
    await assert.rejects(read())
    fails = false
    assert.deepEqual(await read(), { ...NONE, active: 2 })
    now = 5 * 60_000 - 1
    assert.deepEqual(await Promise.all([read(), read()]), Array(2).fill({ ...NONE, active: 2 }))
    now += 1
    assert.deepEqual(await read(), { ...NONE, active: 3 })
  })
})

describeOnBothDatabases('The count of accounts by status', (newUrl) => {
  it('is that of all live accounts', async (t) => {
    const context = await testContext({ url: await newUrl() })
    t.after(() => context.close())
    const { database } = context
    const { count } = createAccountStatusCountStore(database)
    assert.deepEqual(await count(), NONE)
    const { integrationDefinitionId } = await context.createDefinition()
    const ids: AccountId[] = []
    for (let index = 0; index < 6; index += 1)
      ids.push((await context.createAccount(integrationDefinitionId)).integrationAccountId)
    const [reauth, failed, deleted] = ids
    await database.transaction(async (trx) => {
      for (const [id, status] of [
        [reauth, 'needs_reauth'],
        [failed, 'error'],
      ] as const)
        await trx
          .updateTable('accounts')
          .set({ status })
          .where('account_id', '=', id as AccountId)
          .execute()
    })
    expectOk(await context.call('DELETE', `/v1/integration_account/${deleted}`))
    assert.deepEqual(await count(), { ...NONE, active: 3, needs_reauth: 1, error: 1 })
  })
})
