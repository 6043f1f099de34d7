import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { createAccountCountStore, createAccountCounts } from './account-count-store.ts'

const PATH = '/v1/integration_account/count'

describeOnBothDatabases('GET /v1/integration_account/count', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let now = Date.parse('2026-11-22T10:00:00.000Z')
  let first: string
  let second: string
  let linkId: string
  before(async () => {
    t = await testContext({ url: await newUrl(), now: () => now })
    first = (await t.createDefinition()).integrationDefinitionId
    second = (await t.createDefinition()).integrationDefinitionId
    linkId = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } })).linkId
    await t.createAccount(first, { tags: { plan: 'pro' } })
    await t.createAccount(second, { tags: { plan: 'pro', size: '7' } })
    await t.createAccount(second)
    const deleted = await t.createAccount(first)
    await t.call('DELETE', `/v1/integration_account/${deleted.integrationAccountId}`)
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth', link_id: linkId as 'lnk_1' })
        .where('tags', '=', '{"plan":"pro"}')
        .execute(),
    )
    const other = await t.otherUser()
    const foreign = await t.createDefinition({ token: other.token })
    await t.createAccount(foreign.integrationDefinitionId, {}, other.token)
  })
  after(() => t.close())

  const count = (query = '', token = t.token) => t.call('GET', `${PATH}${query}`, { token })
  const none = { active: 0, pending: 0, needs_reauth: 0, error: 0 }

  it('GET /v1/integration_account/count: 200 with the live accounts by status and by definition, most first', async () => {
    assert.deepEqual(expectOk(await count()), {
      total: 3,
      byStatus: { ...none, active: 2, needs_reauth: 1 },
      byDefinition: [
        {
          integrationDefinitionId: second,
          count: 2,
          byStatus: { ...none, active: 2 },
          isSuspect: false,
        },
        {
          integrationDefinitionId: first,
          count: 1,
          byStatus: { ...none, needs_reauth: 1 },
          isSuspect: false,
        },
      ],
      at: '2026-11-22T10:00:00.000Z',
    })
  })

  it('GET /v1/integration_account/count: 200 with only the accounts of the filters', async () => {
    for (const [query, total] of [
      [`?integrationDefinitionId=${second}`, 2],
      ['?integrationDefinitionId=unknown', 0],
      [`?linkId=${linkId}`, 1],
      ['?linkId=lnk_unknown', 0],
      ['?tag=plan:pro', 2],
      ['?tag=plan:pro&tag=size:7', 1],
      [`?tag=plan:pro&integrationDefinitionId=${first}&linkId=${linkId}`, 1],
    ] as const)
      assert.equal(expectOk(await count(query)).total, total, query)
  })

  it('GET /v1/integration_account/count: 200 counts again after five seconds', async () => {
    const { total } = expectOk(await count())
    await t.createAccount(first)
    assert.equal(expectOk(await count()).total, total)
    now += 5_000
    const later = expectOk(await count())
    assert.equal(later.total, total + 1)
    assert.equal(later.at, '2026-11-22T10:00:05.000Z')
  })

  it('counts nothing in a workspace that the access does not cover', async () => {
    const store = createAccountCountStore(t.database)
    const filter = { workspaceId: t.workspaceId, tags: [] }
    const { userId } = expectOk(await t.call('GET', '/v1/user'))
    const otherUserId = (await t.otherUser()).userId as typeof userId
    const sum = async (access: Parameters<typeof store.count>[0]) =>
      (await store.count(access, filter)).reduce((total, row) => total + row.count, 0)
    assert.ok((await sum({ userId, boundWorkspaceId: null })) >= 3)
    assert.equal(await sum({ userId: otherUserId, boundWorkspaceId: null }), 0)
    assert.equal(await sum({ userId, boundWorkspaceId: `wsp_${'1'.repeat(26)}` }), 0)
  })

  it('GET /v1/integration_account/count: 400 for a tag without a key, an unknown parameter, and too many tags', async () => {
    expectError(await count('?tag=plan'), 'invalid_parameter')
    expectError(await count('?plan=pro'), 'invalid_parameter')
    expectError(await count(`?${'tag=a:1&'.repeat(6)}`), 'invalid_parameter')
  })

  it('GET /v1/integration_account/count: the workspace of another user is not accessible, and its accounts do not count', async () => {
    const { token } = await t.otherUser()
    expectError(await count(`?workspaceId=${t.workspaceId}`, token), 'workspace_not_accessible')
    assert.equal(expectOk(await count('', token)).byDefinition.length <= 1, true)
  })

  itRequiresScope(() => t, 'GET', PATH, { scope: 'read' })
}

describe('Counts of accounts', () => {
  it('are read once for concurrent requests, and again at once after an error', async () => {
    let reads = 0
    let fails = true
    const counts = createAccountCounts(
      {
        count: async () => {
          reads += 1
          if (fails) throw new Error('away')
          return []
        },
      },
      () => 0,
    )
    const access = { userId: 'usr_1', boundWorkspaceId: null } as const
    const filter = { workspaceId: 'wsp_1', tags: [] } as const
    await assert.rejects(counts.read(access, filter))
    fails = false
    await Promise.all([counts.read(access, filter), counts.read(access, filter)])
    assert.equal(reads, 2)
    await counts.read(access, { ...filter, linkId: 'lnk_1' })
    await counts.read({ ...access, userId: 'usr_2' }, filter)
    assert.equal(reads, 4)
  })

  it('are read again after ten times the time that reading took, and never twice at once', async () => {
    let now = 0
    let reads = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const count = async () => {
      reads += 1
      await promise
      return []
    }
    const counts = createAccountCounts({ count }, () => now)
    const access = { userId: 'usr_1', boundWorkspaceId: null } as const
    const read = () => counts.read(access, { workspaceId: 'wsp_1', tags: [] })
    const first = read()
    now = 60_000
    const second = read()
    assert.equal(reads, 1)
    resolve()
    await Promise.all([first, second])
    now = 659_999
    await read()
    assert.equal(reads, 1)
    now = 660_000
    await read()
    assert.equal(reads, 2)
  })
})
