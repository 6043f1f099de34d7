import Type from 'typebox'
import { type Caller, requireScope } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace } from '../../access/workspaces/workspace-store.ts'
import { ApiError, notFound, unknownReference } from '../../platform/errors.ts'
import type { ContinuedTasks } from '../../platform/http/drain.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import { isId, newId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import {
  type BulkJob,
  type BulkJobId,
  type BulkJobItem,
  BulkJobResponse,
  CreateBulkJob,
  getUrlContext,
  serializeBulkJob,
} from './bulk-job.ts'
import type { BulkJobStore, SelectedAccount } from './bulk-job-store.ts'
import { BULK_SCOPES, getBulkJobLease, type RunBulkJobDeps, runBulkJob } from './run-bulk-job.ts'

export interface CreateBulkJobDeps extends RunBulkJobDeps {
  readonly bulkJobTasks: ContinuedTasks
}

const createBulkJobOperation = defineOperation({
  id: 'createBulkJob',
  sdk: 'bulkJobs.create',
  method: 'POST',
  path: '/v1/bulk_job',
  tag: 'Bulk jobs',
  summary: 'Create a bulk job',
  description:
    'Checks or deletes up to 500 accounts, or creates a reconnect page for each, in the background: four at a time, and one a second per tool. It continues after a restart, and ends when your token does. Deleting also requires accounts:write, reconnect pages links:write. Five jobs of a workspace may run at a time. With `dryRun`, nothing happens.',
  scope: 'accounts:reconnect',
  body: CreateBulkJob,
  status: 201,
  response: BulkJobResponse,
  returns: 'The job.',
  errors: ['unknown_reference', 'bulk_job_limit'],
  audit: 'bulk_job.created',
  handle: (deps: CreateBulkJobDeps, caller, { body }) => createBulkJob(deps, caller, body),
})

/** Jobs of a workspace that run at the same time. */
const MAX_RUNNING = 5

/**
 * Creates a bulk job and begins to run it (interface: Create bulk job).
 *
 * @throws ApiError `insufficient_scope`, `workspace_not_accessible`, `unknown_reference`, `bulk_job_limit`
 */
async function createBulkJob(
  deps: CreateBulkJobDeps,
  caller: Caller,
  input: CreateBulkJob,
): Promise<BulkJobResponse> {
  for (const scope of BULK_SCOPES[input.action]) requireScope(caller, scope)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, input.workspaceId)
  const items = await planItems(deps, caller, workspaceId, input)
  const lease = getBulkJobLease(deps)
  const job: BulkJob = {
    bulkJobId: newId('blk', lease.now),
    workspaceId,
    action: input.action,
    creator: {
      userId: caller.userId,
      personId: caller.personId ?? null,
      tokenId: caller.tokenId,
      via: caller.via === 'console' ? 'console' : null,
      requestId: caller.requestId,
    },
    createdAt: lease.now,
    finishedAt: null,
  }
  if (input.dryRun === true) return serializeBulkJob({ ...job, bulkJobId: null }, items)
  const response = serializeBulkJob(job, items)
  await deps.database.transaction(
    async (trx) => {
      if ((await deps.bulkJobs.countRunning(trx, workspaceId)) >= MAX_RUNNING)
        throw new ApiError('bulk_job_limit', 'Five bulk jobs of this workspace are running.')
      await deps.bulkJobs.insert(trx, job, items, lease.aliveUntil)
      await record(trx, caller, lease.now, {
        action: 'bulk_job.created',
        workspaceId,
        subject: job.bulkJobId,
        detail: { action: job.action, accounts: items.length },
        response,
      })
    },
    { serializable: true },
  )
  const { signal } = deps.bulkJobTasks
  void deps.bulkJobTasks.waitAtMost(runBulkJob(deps, job, signal), 0)
  return response
}

/** What would happen to each account. @throws ApiError `unknown_reference` with the index of the first unknown one */
async function planItems(
  { bulkJobs }: CreateBulkJobDeps,
  caller: Caller,
  workspaceId: BulkJob['workspaceId'],
  { action, integrationAccountIds: ids }: CreateBulkJob,
): Promise<BulkJobItem[]> {
  const known = ids.filter((id) => isId('acc', id))
  const found = await bulkJobs.listAccounts(caller, workspaceId, known)
  const byId = new Map<string, SelectedAccount>(found.map((each) => [each.accountId, each]))
  return ids.map((id, index) => {
    const account = byId.get(id)
    if (account === undefined) throw unknownReference(`integrationAccountIds.${index}`)
    const { status, ...about } = account
    // It has not been connected yet: there is nothing to check or to reconnect.
    const isSkipped = action !== 'delete' && status === 'pending'
    return {
      ...about,
      outcome: isSkipped ? 'skipped' : 'waiting',
      code: isSkipped ? 'account_pending' : null,
    }
  })
}

export interface GetBulkJobDeps {
  readonly bulkJobs: BulkJobStore
  readonly vault: Vault
  readonly now: () => number
}

const getBulkJobOperation = defineOperation({
  id: 'getBulkJob',
  sdk: 'bulkJobs.get',
  method: 'GET',
  path: '/v1/bulk_job/:bulkJobId',
  tag: 'Bulk jobs',
  summary: 'Get a bulk job',
  description:
    'How far it is, and what became of each account, until seven days after it finished. URLs of reconnect pages are in it for an hour, for who created the job.',
  scope: 'read',
  params: Type.Object({ bulkJobId: IdOf<BulkJobId>({ description: 'Identifier of the job.' }) }),
  response: BulkJobResponse,
  returns: 'The job.',
  errors: ['bulk_job_not_found'],
  handle: (deps: GetBulkJobDeps, caller, { params }) => getBulkJob(deps, caller, params.bulkJobId),
})

/** A job and its results (interface: Get bulk job). @throws ApiError `bulk_job_not_found` */
async function getBulkJob(
  { bulkJobs, vault, now }: GetBulkJobDeps,
  caller: Caller,
  bulkJobId: BulkJobId,
): Promise<BulkJobResponse> {
  const job = isId('blk', bulkJobId) ? await bulkJobs.find(caller, bulkJobId) : undefined
  if (job === undefined) throw notFound('bulk_job')
  const items = await bulkJobs.listItems(job, now())
  if (!isCreator(job, caller)) return serializeBulkJob(job, items)
  const shown = await Promise.all(
    items.map(async (item) => {
      const { accountId, sealedUrl } = item
      if (sealedUrl == null) return item
      return { ...item, url: await vault.openText(getUrlContext(job, accountId), sealedUrl) }
    }),
  )
  return serializeBulkJob(job, shown)
}

/** The same person in the console, with whatever session; otherwise the same token. */
function isCreator({ creator }: BulkJob, { tokenId, personId }: Caller): boolean {
  return creator.tokenId === tokenId || (creator.personId !== null && creator.personId === personId)
}

export const BULK_JOB_OPERATIONS = [createBulkJobOperation, getBulkJobOperation]
