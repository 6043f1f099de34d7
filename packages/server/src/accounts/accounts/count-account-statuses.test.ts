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
  it('is that of all live accounts, whatever the size of its slices', async (t) => {
    const context = await testContext({ url: await newUrl() })
    t.after(() => context.close())
    const { database } = context
    const count = (sliceSize?: number) => createAccountStatusCountStore(database, sliceSize).count()
    assert.deepEqual(await count(), NONE)
    const { integrationDefinitionId } = await context.createDefinition()
    const ids: AccountId[] = []
    for (let index = 0; index < 6; index += 1)
      ids.push((await context.createAccount(integrationDefinitionId)).integrationAccountId)
    const [reauth, failed, deleted] = ids
    // Several in one millisecond: the id tells them apart.
    await database.transaction(async (trx) => {
      await trx
        .updateTable('accounts')
        .set({ created_at: 1 })
        .where('account_id', 'in', ids)
        .execute()
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
    for (const size of [1, 2, 3, 4, 5, 6, 20_000])
      assert.deepEqual(await count(size), { ...NONE, active: 3, needs_reauth: 1, error: 1 })
  })

  it('reads slices, each in a statement of its own', async (t) => {
    const context = await testContext({ url: await newUrl() })
    t.after(() => context.close())
    const { integrationDefinitionId } = await context.createDefinition()
    for (let index = 0; index < 4; index += 1) await context.createAccount(integrationDefinitionId)
    let statements = 0
    const prepare: typeof context.database.prepare = (build, keyTypes) => {
      const query = context.database.prepare(build, keyTypes)
      return {
        ...query,
        allAside: (tenant, params) => {
          statements += 1
          return query.allAside(tenant, params)
        },
      }
    }
    const store = createAccountStatusCountStore({ ...context.database, prepare }, 2)
    assert.deepEqual(await store.count(), { ...NONE, active: 4 })
    // The end and the count of two slices, and of an empty one.
    assert.equal(statements, 6)
  })
})
