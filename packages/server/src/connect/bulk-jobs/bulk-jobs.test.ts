import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { newId } from '../../platform/storage/id.ts'
import type { BulkJobId, BulkJobResponse } from './bulk-job.ts'
import { createBulkJobStore } from './bulk-job-store.ts'

describeOnBothDatabases('Bulk jobs', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let definitionId: string
  let offsetMs = 0
  before(async () => {
    t = await testContext({
      url: await newUrl(),
      now: () => Date.now() + offsetMs,
      bulkIntervalMs: 150,
    })
    definitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const create = (body: object, token = t.token) => t.call('POST', '/v1/bulk_job', { body, token })
  const createAccounts = async (count: number): Promise<string[]> => {
    const ids: string[] = []
    for (let index = 0; index < count; index += 1)
      ids.push((await t.createAccount(definitionId)).integrationAccountId)
    return ids
  }
  const get = async (bulkJobId: string | null, token = t.token): Promise<BulkJobResponse> =>
    expectOk(await t.call('GET', `/v1/bulk_job/${bulkJobId}`, { token }))
  const finish = async (bulkJobId: string | null, token = t.token): Promise<BulkJobResponse> => {
    while (true) {
      const job = await get(bulkJobId, token)
      if (job.state === 'finished') return job
      await sleep(20)
    }
  }
  const outcomes = (job: BulkJobResponse) => job.results.map(({ outcome }) => outcome)

  it('POST /v1/bulk_job: checks each account; the audit trail names who created the job', async () => {
    const ids = await createAccounts(2)
    const created = expectCreated(await create({ action: 'check', integrationAccountIds: ids }))
    assert.deepEqual([created.state, created.counts.total], ['running', 2])
    const job = await finish(created.bulkJobId)
    assert.deepEqual(outcomes(job), ['done', 'done'])
    assert.deepEqual(
      job.results.map(({ integrationAccountId }) => integrationAccountId),
      ids,
    )
    const entry = await selectAuditEntries(t.database.read)
      .select(['token_id', 'actor_kind', 'via', 'request_id'])
      .where('subject', '=', ids[0] ?? '')
      .where('action', '=', 'account.checked')
      .executeTakeFirstOrThrow()
    const creation = await selectAuditEntries(t.database.read)
      .select(['token_id', 'actor_kind', 'via', 'request_id'])
      .where('subject', '=', created.bulkJobId)
      .executeTakeFirstOrThrow()
    assert.deepEqual(entry, creation)
  })

  it('POST /v1/bulk_job: deletes the accounts, and starts one per interval and definition', async () => {
    const ids = await createAccounts(3)
    const startedAt = performance.now()
    const { bulkJobId } = expectCreated(
      await create({ action: 'delete', integrationAccountIds: ids }),
    )
    assert.deepEqual(outcomes(await finish(bulkJobId)), ['done', 'done', 'done'])
    assert.ok(performance.now() - startedAt >= 300)
    for (const id of ids) {
      const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
      assert.notEqual(account.deleted, null)
    }
  })

  it('POST /v1/erasure: erases what jobs did with the accounts of the customer, and counts it', async () => {
    const accountIdentifier = 'customer-of-jobs'
    const { integrationAccountId } = await t.createAccount(definitionId, { accountIdentifier })
    const ids = [integrationAccountId, ...(await createAccounts(1))]
    const { bulkJobId } = expectCreated(
      await create({ action: 'check', integrationAccountIds: ids }),
    )
    await finish(bulkJobId)
    const { erased } = expectOk(
      await t.call('POST', '/v1/erasure', { body: { accountIdentifier } }),
    )
    assert.equal(erased.bulkJobResults, 1)
    assert.equal((await get(bulkJobId)).results.length, 1)
  })

  it('POST /v1/bulk_job: reconnect pages have URLs, for their creator and for an hour, which are erased then', async () => {
    const ids = await createAccounts(1)
    const { bulkJobId } = expectCreated(
      await create({ action: 'connect_session', integrationAccountIds: ids }),
    )
    const job = await finish(bulkJobId)
    assert.match(job.results[0]?.url ?? '', /\/connect\/[^/]+$/)
    const other = await t.createToken()
    assert.equal((await get(bulkJobId, other)).results[0]?.url, undefined)
    const sessions = expectOk(await t.call('GET', '/v1/connect_session'))
    assert.equal(sessions.length, 1)
    offsetMs += 3_600_001
    assert.equal((await get(bulkJobId)).results[0]?.url, undefined)
    await createBulkJobStore(t.database).eraseUrls(Date.now() + offsetMs)
    const row = await t.database.read
      .selectFrom('bulk_job_items')
      .select('sealed_url')
      .where('bulk_job_id', '=', bulkJobId)
      .executeTakeFirst()
    assert.equal(row?.sealed_url, null)
  })

  it('POST /v1/bulk_job: a dry run returns what would happen, and stores nothing', async () => {
    const ids = await createAccounts(2)
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'pending' })
        .where('account_id', '=', ids[1] as 'acc_')
        .execute(),
    )
    const { rows } = await countJobs()
    const body = { action: 'check', integrationAccountIds: ids, dryRun: true }
    const job: BulkJobResponse = expectCreated(await create(body))
    assert.deepEqual([job.state, job.bulkJobId], ['planned', null])
    assert.deepEqual(outcomes(job), ['waiting', 'skipped'])
    assert.equal(job.results[1]?.code, 'account_pending')
    assert.equal((await countJobs()).rows, rows)
  })

  const countJobs = async () => ({
    rows: (await t.database.read.selectFrom('bulk_jobs').select('bulk_job_id').execute()).length,
  })

  it('POST /v1/bulk_job: 400 unknown_reference with the index of an unknown, deleted or foreign account', async () => {
    const [known = '', deleted = ''] = await createAccounts(2)
    expectOk(await t.call('DELETE', `/v1/integration_account/${deleted}`))
    for (const id of ['acc_none', newId('acc', Date.now()), deleted]) {
      const response = await create({ action: 'check', integrationAccountIds: [known, id] })
      expectError(response, 'unknown_reference')
      assert.match(response.text, /integrationAccountIds\.1/)
    }
    const other = await t.otherUser()
    const foreign = await create({ action: 'check', integrationAccountIds: [known] }, other.token)
    expectError(foreign, 'unknown_reference')
  })

  it('POST /v1/bulk_job: 400 for none, for two equal and for more than 500 accounts', async () => {
    const [id = ''] = await createAccounts(1)
    for (const ids of [[], [id, id], Array.from({ length: 501 }, () => newId('acc', 1))])
      expectError(
        await create({ action: 'check', integrationAccountIds: ids }),
        'validation_failed',
      )
  })

  it('POST /v1/bulk_job: deleting and reconnect pages require their own scopes, too', async () => {
    const ids = await createAccounts(1)
    const token = await t.createToken({ scopes: ['read', 'accounts:reconnect'] })
    for (const action of ['delete', 'connect_session'])
      expectError(await create({ action, integrationAccountIds: ids }, token), 'insufficient_scope')
    expectCreated(await create({ action: 'check', integrationAccountIds: ids }, token))
  })

  it('POST /v1/bulk_job: a token that is revoked meanwhile stops the rest', async () => {
    const ids = await createAccounts(3)
    const body = { name: 'a', scopes: ['read', 'write'] }
    const { token, tokenId } = expectCreated(await t.call('POST', '/v1/user/token', { body }))
    const job = expectCreated(await create({ action: 'delete', integrationAccountIds: ids }, token))
    expectOk(await t.call('DELETE', `/v1/user/token/${tokenId}`))
    const { results } = await finish(job.bulkJobId)
    const last = results.at(-1)
    assert.deepEqual([last?.outcome, last?.code], ['skipped', 'token_invalid'])
    const account = expectOk(await t.call('GET', `/v1/integration_account/${ids[2]}`))
    assert.equal(account.deleted, null)
  })

  it('POST /v1/bulk_job: 400 bulk_job_limit with five that run; each can be claimed once its process no longer reports', async () => {
    const ids = await createAccounts(1)
    const store = createBulkJobStore(t.database)
    const now = Date.now() + offsetMs
    const { user_id } = await t.database.read
      .selectFrom('workspaces')
      .select('user_id')
      .where('workspace_id', '=', t.workspaceId)
      .executeTakeFirstOrThrow()
    const jobs: BulkJobId[] = []
    for (let index = 0; index < 5; index += 1) {
      const bulkJobId = newId('blk', now)
      jobs.push(bulkJobId)
      const tokenId = newId('tok', now)
      const creator = { userId: user_id, personId: null, tokenId, via: null, requestId: 'a' }
      const job = {
        bulkJobId,
        workspaceId: t.workspaceId,
        action: 'check',
        creator,
        createdAt: now,
        finishedAt: null,
      } as const
      await t.database.transaction((trx) => store.insert(trx, job, [], now))
    }
    const body = { action: 'check', integrationAccountIds: ids }
    expectError(await create(body), 'bulk_job_limit')
    const lease = { now: now + 1, aliveUntil: now + 1_000 }
    assert.ok(jobs.includes((await store.claimAbandoned(lease))?.bulkJobId as BulkJobId))
    for (const bulkJobId of jobs) await store.finish(bulkJobId, now)
    assert.equal(await store.claimAbandoned({ now: now + 9_999, aliveUntil: 0 }), undefined)
    expectCreated(await create(body))
  })

  it('An item gets one result: a second process that ran it, too, stores none', async () => {
    const store = createBulkJobStore(t.database)
    const ids = await createAccounts(1)
    const { bulkJobId } = expectCreated(
      await create({ action: 'check', integrationAccountIds: ids }),
    )
    await finish(bulkJobId)
    const result = { outcome: 'failed', code: 'internal_error' } as const
    const isStored = await t.database.transaction((trx) =>
      store.finishItem(trx, bulkJobId, ids[0] as 'acc_', result),
    )
    assert.equal(isStored, false)
    assert.equal(await store.start(bulkJobId, ids[0] as 'acc_'), false)
  })

  it('Jobs are deleted seven days after they finished', async () => {
    const ids = await createAccounts(1)
    const { bulkJobId } = expectCreated(
      await create({ action: 'check', integrationAccountIds: ids }),
    )
    await finish(bulkJobId)
    const store = createBulkJobStore(t.database)
    while ((await store.deleteOld(Date.now() + offsetMs + 1, 5)) === 5);
    expectError(await t.call('GET', `/v1/bulk_job/${bulkJobId}`), 'bulk_job_not_found')
  })

  it('GET /v1/bulk_job/{id}: 404 for an unknown job and one of another user', async () => {
    const ids = await createAccounts(1)
    const { bulkJobId } = expectCreated(
      await create({ action: 'check', integrationAccountIds: ids }),
    )
    const other = await t.otherUser()
    const foreign = await t.call('GET', `/v1/bulk_job/${bulkJobId}`, { token: other.token })
    expectError(foreign, 'bulk_job_not_found')
    for (const id of [newId('blk', Date.now()), 'nonsense'])
      expectError(await t.call('GET', `/v1/bulk_job/${id}`), 'bulk_job_not_found')
  })

  itRequiresScope(() => t, 'POST', '/v1/bulk_job', {
    scope: 'accounts:reconnect',
    body: { action: 'check', integrationAccountIds: ['acc_none'] },
  })
  itRequiresScope(() => t, 'GET', '/v1/bulk_job/blk_none', { scope: 'read' })
}
