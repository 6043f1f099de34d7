import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, getGrantedScopes, type OperationScope } from '../../access/auth/caller.ts'
import { deleteAccount } from '../../accounts/accounts/delete-account.ts'
import { type RecheckAccountDeps, recheckAccount } from '../../accounts/accounts/recheck-account.ts'
import { ApiError } from '../../platform/errors.ts'
import { runJob } from '../../platform/http/log.ts'
import { type ObserveJob, type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Lease } from '../../platform/storage/lease.ts'
import {
  type CreateConnectSessionDeps,
  createConnectSession,
} from '../connect-sessions/create-connect-session.ts'
import { type BulkAction, type BulkJob, type BulkJobItem, getUrlContext } from './bulk-job.ts'
import type { BulkJobStore, ItemResult } from './bulk-job-store.ts'

export interface RunBulkJobDeps
  extends RecheckAccountDeps,
    Omit<CreateConnectSessionDeps, 'accounts'> {
  readonly bulkJobs: BulkJobStore
  readonly translateError: (error: unknown) => ApiError | undefined
  /** Set by tests only. Default: a second between two starts for one definition. */
  readonly bulkIntervalMs?: number | undefined
}

/** The scopes that each action requires. */
export const BULK_SCOPES: Readonly<Record<BulkAction, readonly OperationScope[]>> = {
  check: ['accounts:reconnect'],
  delete: ['accounts:write'],
  connect_session: ['accounts:reconnect', 'links:write'],
}

/**
 * Runs a claimed job: four accounts at a time, and of one definition at most one start a second. What has a result is not run
 * again; what was running when a process died is. When the signal is aborted it starts no more, and gives its lease up.
 */
export async function runBulkJob(
  deps: RunBulkJobDeps,
  job: BulkJob,
  signal: AbortSignal,
): Promise<void> {
  const { bulkJobId } = job
  const { bulkJobs, now } = deps
  const report = () => bulkJobs.setLease(bulkJobId, getBulkJobLease(deps).aliveUntil)
  // A failed report is repeated; without any, another process continues.
  const reports = setInterval(() => report().catch(() => {}), REPORT_MS).unref()
  try {
    const items = await bulkJobs.listItems(job, now())
    const waiting = items.filter(({ outcome }) => outcome === 'waiting' || outcome === 'running')
    const take = createTake(waiting, deps.bulkIntervalMs ?? INTERVAL_MS, signal)
    const work = async () => {
      for (let item = await take(); item !== undefined; item = await take())
        await runItem(deps, job, item)
    }
    const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work))
    for (const result of results) if (result.status === 'rejected') throw result.reason
    if (signal.aborted) await bulkJobs.setLease(bulkJobId, now())
    else await bulkJobs.finish(bulkJobId, now())
  } finally {
    clearInterval(reports)
  }
}

const CONCURRENCY = 4
const INTERVAL_MS = 1_000
const REPORT_MS = 15_000
/** Longer than several reports. */
const LEASE_MS = 60_000

/** The lease of a process that starts now. */
export function getBulkJobLease({ now }: { readonly now: () => number }): Lease {
  const current = now()
  return { now: current, aliveUntil: current + LEASE_MS }
}

/** Gives the next item whose definition may start again; undefined after the last one, or when the signal is aborted. */
function createTake(items: readonly BulkJobItem[], intervalMs: number, signal: AbortSignal) {
  const queue = [...items]
  const nextAt = new Map<string, number>()
  return async (): Promise<BulkJobItem | undefined> => {
    while (queue.length > 0 && !signal.aborted) {
      const time = performance.now()
      const waits = queue.map(({ definitionId }) => (nextAt.get(definitionId) ?? 0) - time)
      const index = waits.findIndex((wait) => wait <= 0)
      const [item] = index < 0 ? [] : queue.splice(index, 1)
      if (item !== undefined) {
        nextAt.set(item.definitionId, time + intervalMs)
        return item
      }
      await sleep(Math.min(...waits), undefined, { signal }).catch(() => {})
    }
    return undefined
  }
}

async function runItem(deps: RunBulkJobDeps, job: BulkJob, item: BulkJobItem): Promise<void> {
  const { bulkJobId } = job
  const { accountId } = item
  if (!(await deps.bulkJobs.start(bulkJobId, accountId))) return
  const result = await actAsCreator(deps, job, item).catch((error: unknown): ItemResult => {
    const apiError = error instanceof ApiError ? error : deps.translateError(error)
    if (apiError === undefined) deps.log.warn({ err: error, accountId }, 'a bulk job failed')
    return { outcome: 'failed', code: apiError?.code ?? 'internal_error' }
  })
  if (result !== undefined)
    await deps.database.transaction((trx) =>
      deps.bulkJobs.finishItem(trx, bulkJobId, accountId, result),
    )
}

/** Undefined if the result is stored already. */
async function actAsCreator(
  deps: RunBulkJobDeps,
  job: BulkJob,
  { accountId }: BulkJobItem,
): Promise<ItemResult | undefined> {
  const caller = await readCreator(deps, job)
  if (typeof caller === 'string') return { outcome: 'skipped', code: caller }
  if (job.action === 'delete') {
    await deleteAccount(deps, caller, accountId)
    return { outcome: 'done', code: null }
  }
  if (job.action === 'connect_session') return createReconnectPage(deps, job, caller, accountId)
  const check = await recheckAccount(deps, caller, accountId)
  return check.status
    ? { outcome: 'done', code: null }
    : { outcome: 'failed', code: check.code ?? 'credentials_rejected' }
}

/** The creator of a job as the caller of its requests, or why the rest is skipped. */
async function readCreator(
  { bulkJobs, now }: RunBulkJobDeps,
  { creator, workspaceId, action }: BulkJob,
): Promise<Caller | 'token_invalid' | 'insufficient_scope'> {
  const token = await bulkJobs.findToken(creator.tokenId)
  if (token === undefined || token.revokedAt !== null) return 'token_invalid'
  if (token.expiresAt !== null && token.expiresAt <= now()) return 'token_invalid'
  const scopes = getGrantedScopes(token.scopes)
  if (!BULK_SCOPES[action].every((scope) => scopes.has(scope))) return 'insufficient_scope'
  return {
    userId: creator.userId,
    boundWorkspaceId: workspaceId,
    tokenId: creator.tokenId,
    scopes,
    expiresAt: token.expiresAt,
    requestId: creator.requestId,
    ...(creator.personId !== null && { personId: creator.personId }),
    ...(creator.via !== null && { via: creator.via }),
  }
}

/** Creates the session and stores its URL in one transaction: a job that is run again creates no second one. */
async function createReconnectPage(
  deps: RunBulkJobDeps,
  job: BulkJob,
  caller: Caller,
  accountId: BulkJobItem['accountId'],
): Promise<undefined> {
  const { bulkJobId, workspaceId } = job
  const input = { workspaceId, integrationAccountId: accountId }
  try {
    await createConnectSession(deps, caller, input, async ({ url }) => {
      const sealedUrl = await deps.vault.seal(getUrlContext(job, accountId), url)
      const urlUntil = deps.now() + URL_MS
      return async (trx) => {
        const result = { outcome: 'done', code: null, sealedUrl, urlUntil } as const
        if (!(await deps.bulkJobs.finishItem(trx, bulkJobId, accountId, result)))
          throw new HasResultError()
      }
    })
  } catch (error) {
    if (!(error instanceof HasResultError)) throw error
  }
}

/** Another process was faster, or the account was erased: the session is not created. */
class HasResultError extends Error {}

const URL_MS = 60 * 60_000

/** Continues jobs that a process has left unfinished, until it is stopped. Several processes may do so. */
export function startResumingBulkJobs(deps: RunBulkJobDeps, observeJob: ObserveJob): Rounds {
  const resume = observeJob('bulk_jobs', (signal: AbortSignal) => resumeBulkJobs(deps, signal))
  return startRounds({
    round: (signal) => runJob('bulk_jobs', () => resume(signal).then(() => false)),
    onError: (error) => deps.log.warn({ err: error }, 'bulk jobs could not be continued'),
    pollMs: RESUME_MS,
    firstMs: RESUME_FIRST_MS,
    isJittered: true,
  })
}

const RESUME_MS = 15_000
const RESUME_FIRST_MS = 1_000
/** Jobs that a node continues at the same time. */
const RESUMED = 5

/** Continues the jobs that are due. */
export async function resumeBulkJobs(deps: RunBulkJobDeps, signal: AbortSignal): Promise<void> {
  const work = async () => {
    while (!signal.aborted) {
      const job = await deps.bulkJobs.claimAbandoned(getBulkJobLease(deps))
      if (job === undefined) return
      await runBulkJob(deps, job, signal)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: RESUMED }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
