import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectOk } from '../../../test/test-context.ts'
import { createWorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { createAccountStore } from '../../accounts/accounts/account-store.ts'
import {
  type RefreshTestContext,
  startRefreshTestContext,
} from '../../accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { createDefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { newId } from '../../platform/storage/id.ts'
import { createConnectSessionStore } from '../connect-sessions/connect-session-store.ts'
import { createLinkStore } from '../links/link-store.ts'
import type { BulkAction, BulkJob, BulkJobItem } from './bulk-job.ts'
import { createBulkJobStore } from './bulk-job-store.ts'
import { getBulkJobLease, type RunBulkJobDeps, resumeBulkJobs, runBulkJob } from './run-bulk-job.ts'

describeOnBothDatabases('Bulk jobs of a process that died', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let deps: RunBulkJobDeps
  let definitionId: BulkJobItem['definitionId']
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
    const { database } = context.t
    deps = {
      ...context.node(),
      accounts: createAccountStore(database),
      workspaces: createWorkspaceStore(database),
      definitions: createDefinitionStore(database),
      links: createLinkStore(database),
      connectSessions: createConnectSessionStore(database),
      bulkJobs: createBulkJobStore(database),
      baseUrl: () => 'https://connect.example.com',
      assertRedirectUrl: () => {},
      translateError: () => undefined,
      bulkIntervalMs: 1,
    }
    definitionId = (await context.t.createDefinition()).integrationDefinitionId
  })
  after(() => context.close())

  /** A job that a process has left after it had started the first account; its lease has expired. */
  async function leave(action: BulkAction, count: number): Promise<BulkJob> {
    const { t } = context
    const { tokenId, userId } = await t.database.read
      .selectFrom('tokens')
      .select(['token_id as tokenId', 'user_id as userId'])
      .executeTakeFirstOrThrow()
    const now = Date.now()
    const job: BulkJob = {
      bulkJobId: newId('blk', now),
      workspaceId: t.workspaceId,
      action,
      creator: { userId, personId: null, tokenId, via: null, requestId: 'the-request' },
      createdAt: now,
      finishedAt: null,
    }
    const items: Pick<BulkJobItem, 'accountId' | 'definitionId' | 'outcome' | 'code'>[] = []
    for (let index = 0; index < count; index += 1) {
      const { integrationAccountId } = await t.createAccount(definitionId)
      const accountId = integrationAccountId as AccountId
      const outcome = index === 0 ? 'running' : 'waiting'
      items.push({ accountId, definitionId, outcome, code: null })
    }
    await t.database.transaction((trx) => deps.bulkJobs.insert(trx, job, items, now))
    return job
  }

  const resume = () => resumeBulkJobs(deps, new AbortController().signal)
  const read = async ({ bulkJobId }: BulkJob) =>
    expectOk(await context.t.call('GET', `/v1/bulk_job/${bulkJobId}`))
  const countSessions = async () =>
    expectOk(await context.t.call('GET', '/v1/connect_session')).length

  it('are continued: what was running is run again', async () => {
    const job = await leave('delete', 3)
    await resume()
    const { state, counts } = await read(job)
    assert.deepEqual([state, counts.done], ['finished', 3])
    const entries = await selectAuditEntries(context.t.database.read)
      .select('action')
      .where('request_id', '=', 'the-request')
      .where('action', '=', 'account.deleted')
      .execute()
    assert.equal(entries.length, 3)
  })

  it('create one reconnect page for each account, even if two processes run them', async () => {
    const sessions = await countSessions()
    const job = await leave('connect_session', 3)
    const { signal } = new AbortController()
    await Promise.all([runBulkJob(deps, job, signal), runBulkJob(deps, job, signal)])
    assert.equal((await read(job)).counts.done, 3)
    assert.equal(await countSessions(), sessions + 3)
    await deps.bulkJobs.finish(job.bulkJobId, Date.now())
  })

  it('are left alone while a process reports, and given up when it stops', async () => {
    const job = await leave('check', 2)
    await deps.bulkJobs.setLease(job.bulkJobId, getBulkJobLease(deps).aliveUntil)
    await resume()
    assert.equal((await read(job)).state, 'running')
    const stopped = AbortSignal.abort()
    await runBulkJob(deps, job, stopped)
    assert.equal((await read(job)).state, 'running')
    await resume()
    assert.equal((await read(job)).state, 'finished')
  })

  it('skip what remains once the token is revoked', async () => {
    const job = await leave('delete', 2)
    const tokenId = newId('tok', Date.now())
    await context.t.database.transaction((trx) =>
      trx
        .updateTable('bulk_jobs')
        .set({ token_id: tokenId })
        .where('bulk_job_id', '=', job.bulkJobId)
        .execute(),
    )
    await resume()
    const { counts, results } = await read(job)
    assert.equal(counts.skipped, 2)
    assert.equal(results[0].code, 'token_invalid')
  })
}
