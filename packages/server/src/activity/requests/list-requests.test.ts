import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import type { RequestLogRow } from '../../platform/storage/tables.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import { createRequestRetention, createRequestRetentionStore } from './request-log-store.ts'

const DAY_MS = 24 * 60 * 60_000

describeOnBothDatabases('GET /v1/request', (newUrl) => {
  let t: TestContext
  let definitionId: string
  const now = Date.now()
  before(async () => {
    t = await testContext({ url: await newUrl() })
    definitionId = (await t.createDefinition()).integrationDefinitionId
    await insert([
      { at: now - 5_000, kind: 'api', status: 200, request_id: 'req-a' },
      { at: now - 4_000, status: 401, request_id: 'req-a', account_id: 'acc_1' },
      { at: now - 3_000, status: null, code: 'timeout', definition_id: definitionId as 'def_' },
      { at: now - 2_000, kind: 'api', status: 429, represents: 7 },
      { at: now - 1_000, kind: 'api', status: 503 },
    ])
  })
  after(() => t.close())

  async function insert(rows: readonly Partial<RequestLogRow>[], workspace_id = t.workspaceId) {
    const base = { ...createSampleRows(now).request_log, workspace_id }
    const values = rows.map((row) => ({
      ...base,
      request_log_id: newId('req', row.at ?? now),
      ...row,
      status_class: Math.floor((row.status ?? 0) / 100),
      failed: Number((row.status ?? 500) >= 400),
    }))
    await t.database.transaction((trx) => trx.insertInto('request_log').values(values).execute())
    return values.map((row) => row.request_log_id)
  }
  const list = async (query = ''): Promise<AnyBody[]> =>
    expectOk(await t.call('GET', `/v1/request?${query}`))
  const statuses = async (query: string) => (await list(query)).map(({ status }) => status)

  it('200: the requests, newest first, with how many each stands for', async () => {
    assert.deepEqual(
      (await list()).map(({ status, represents }) => [status, represents]),
      [
        [503, 1],
        [429, 7],
        [null, 1],
        [401, 1],
        [200, 1],
      ],
    )
  })

  it('200: each filter', async () => {
    for (const [query, expected] of [
      ['kind=api', [503, 429, 200]],
      ['kind=provider', [null, 401]],
      ['requestId=req-a', [401, 200]],
      ['integrationAccountId=acc_1', [401]],
      [`integrationDefinitionId=${definitionId}`, [null]],
      ['integrationDefinitionId=unknown', []],
      ['outcome=succeeded', [200]],
      ['outcome=failed', [503, 429, null, 401]],
      ['status=4xx', [429, 401]],
      ['status=5xx', [503]],
      [`from=${new Date(now - 3_000).toISOString()}`, [503, 429, null]],
      [`to=${new Date(now - 3_000).toISOString()}`, [401, 200]],
      ['kind=api&outcome=failed&status=4xx', [429]],
    ] as const)
      assert.deepEqual(await statuses(query), expected, query)
  })

  it('200: pages with a Link header', async () => {
    const found: number[] = []
    let path: string | undefined = '/v1/request?limit=2'
    for (let pages = 0; path !== undefined; pages += 1) {
      assert.ok(pages < 3)
      const response = await t.call('GET', path)
      found.push(...expectOk(response).map((each: AnyBody) => each.status))
      path = /<[^>]*\/api([^>]*)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1]
    }
    assert.deepEqual(found, [503, 429, null, 401, 200])
  })

  it('400 for unknown filters, cursors, times and statuses', async () => {
    for (const query of [
      'kind=x',
      'outcome=x',
      'status=6xx',
      'status=404',
      'cursor=x',
      'from=x',
      'x=1',
    ])
      expectError(await t.call('GET', `/v1/request?${query}`), 'invalid_parameter')
  })

  itRequiresScope(() => t, 'GET', '/v1/request', { scope: 'read' })
  itRequiresScope(() => t, 'GET', `/v1/request/${newId('req', now)}`, { scope: 'read' })

  it('403 for a workspace of another user, whose list is empty', async () => {
    const other = await t.otherUser()
    assert.deepEqual(expectOk(await t.call('GET', '/v1/request', { token: other.token })), [])
    const path = `/v1/request?workspaceId=${t.workspaceId}`
    expectError(await t.call('GET', path, { token: other.token }), 'workspace_not_accessible')
  })

  it('GET /v1/request/{requestLogId}: the request; 404 for that of another workspace, an unknown one, and nonsense', async () => {
    const [entry] = await list('status=4xx')
    const path = `/v1/request/${entry?.requestLogId}`
    assert.deepEqual(expectOk(await t.call('GET', path)), { ...entry, exchange: null })
    const other = await t.otherUser()
    expectError(await t.call('GET', path, { token: other.token }), 'request_not_found')
    for (const id of [newId('req', now), 'nonsense'])
      expectError(await t.call('GET', `/v1/request/${id}`), 'request_not_found')
  })

  it('is retained for 7 days and at most 100,000 rows per workspace, deleted in bounded transactions', async () => {
    const other = await t.otherUser()
    const [old] = await insert([{ at: now - 8 * DAY_MS }])
    const others = await insert(
      Array.from({ length: 25 }, (_, index) => ({ at: now - 1_000 * index })),
      other.workspaceId,
    )
    const store = createRequestRetentionStore(t.database)
    const deleted: number[] = []
    const run = createRequestRetention(
      {
        ...store,
        findBeyond: (workspaceId) => store.findBeyond(workspaceId, 10),
        async deleteOld(workspaceId, before) {
          const count = await store.deleteOld(workspaceId, before, 1_000)
          deleted.push(count)
          return count
        },
      },
      () => now,
    )
    await run()
    assert.equal(await has(old), false)
    assert.equal((await list()).length, 5)
    const left = expectOk(await t.call('GET', '/v1/request', { token: other.token }))
    assert.deepEqual(
      left.map((each: AnyBody) => each.requestLogId),
      others.slice(0, 10),
    )
    assert.deepEqual(deleted.sort(), [1, 15])
  })

  async function has(id: Id<'req'> | undefined): Promise<boolean> {
    return (await t.call('GET', `/v1/request/${id}`)).status === 200
  }
})
