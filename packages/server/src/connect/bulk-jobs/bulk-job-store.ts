import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { claimAbandoned, type Lease } from '../../platform/storage/lease.ts'
import type { BulkJobRow } from '../../platform/storage/tables.ts'
import type { BulkJob, BulkJobId, BulkJobItem } from './bulk-job.ts'

/** An account that a job is requested for. */
export interface SelectedAccount
  extends Pick<BulkJobItem, 'accountId' | 'definitionId' | 'accountIdentifier'> {
  readonly name: string
  readonly status: string
}

/** What an item has become. */
export interface ItemResult extends Pick<BulkJobItem, 'outcome' | 'code'> {
  readonly sealedUrl?: Uint8Array
  /** Epoch milliseconds. */
  readonly urlUntil?: number
}

/** Stores bulk jobs of the workspaces that the caller can access. */
export function createBulkJobStore(database: Database) {
  return {
    /** Those of the accounts that are live and in this workspace. */
    async listAccounts(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      ids: readonly AccountId[],
    ): Promise<SelectedAccount[]> {
      if (ids.length === 0) return []
      return database.read
        .selectFrom('accounts')
        .select(['account_id as accountId', 'definition_id as definitionId', 'status', 'name'])
        .select('account_identifier as accountIdentifier')
        .where('account_id', 'in', ids)
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .where(isAccessibleWorkspace(access, workspaceId))
        .execute()
    },

    /** How many jobs of the workspace run. */
    async countRunning(trx: Transaction, workspaceId: WorkspaceId): Promise<number> {
      const rows = await trx
        .selectFrom('bulk_jobs')
        .select('bulk_job_id')
        .where('workspace_id', '=', workspaceId)
        .where('finished_at', 'is', null)
        .execute()
      return rows.length
    },

    async insert(
      trx: Transaction,
      job: BulkJob,
      items: readonly Pick<BulkJobItem, 'accountId' | 'definitionId' | 'outcome' | 'code'>[],
      aliveUntil: number,
    ): Promise<void> {
      const { bulkJobId, workspaceId, creator } = job
      await trx
        .insertInto('bulk_jobs')
        .values({
          bulk_job_id: bulkJobId,
          workspace_id: workspaceId,
          action: job.action,
          alive_until: aliveUntil,
          user_id: creator.userId,
          person_id: creator.personId,
          token_id: creator.tokenId,
          via: creator.via,
          request_id: creator.requestId,
          created_at: job.createdAt,
          finished_at: null,
        })
        .execute()
      const rows = items.map(({ accountId, definitionId, outcome, code }, position) => ({
        bulk_job_id: bulkJobId,
        position,
        workspace_id: workspaceId,
        account_id: accountId,
        definition_id: definitionId,
        outcome,
        code,
        sealed_url: null,
        url_until: null,
      }))
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
        await trx
          .insertInto('bulk_job_items')
          .values(rows.slice(at, at + ROWS_PER_INSERT))
          .execute()
    },

    async find(access: WorkspaceAccess, bulkJobId: BulkJobId): Promise<BulkJob | undefined> {
      const row = await database.read
        .selectFrom('bulk_jobs')
        .selectAll()
        .where('bulk_job_id', '=', bulkJobId)
        .where(isInAccessibleWorkspace(access, 'bulk_jobs'))
        .executeTakeFirst()
      return row && toBulkJob(row)
    },

    /** The items of a job that was found, in the order of the request, with URLs that have not expired. */
    async listItems(
      { bulkJobId }: Pick<BulkJob, 'bulkJobId'>,
      now: number,
    ): Promise<BulkJobItem[]> {
      const rows = await database.read
        .selectFrom('bulk_job_items')
        .leftJoin('accounts', 'accounts.account_id', 'bulk_job_items.account_id')
        .selectAll('bulk_job_items')
        .select(['accounts.name', 'accounts.account_identifier'])
        .where('bulk_job_id', '=', bulkJobId)
        .orderBy('position')
        .execute()
      return rows.map((row) => ({
        accountId: row.account_id,
        definitionId: row.definition_id,
        name: row.name,
        accountIdentifier: row.account_identifier,
        outcome: row.outcome,
        code: row.code,
        sealedUrl: row.url_until !== null && row.url_until > now ? row.sealed_url : null,
      }))
    },

    ...createBulkJobRunStore(database),
  }
}

export type BulkJobStore = ReturnType<typeof createBulkJobStore>

/** Each row has nine values: the databases limit the number of them in a statement. */
const ROWS_PER_INSERT = 100

/** What the process that runs a job stores. On behalf of no caller. */
function createBulkJobRunStore(database: Database) {
  return {
    /** The token of a job's creator, revoked and expired ones included; undefined once it is deleted. */
    async findToken(tokenId: Id<'tok'>) {
      return database.read
        .selectFrom('tokens')
        .select(['scopes', 'workspace_id as workspaceId', 'expires_at as expiresAt'])
        .select(['revoked_at as revokedAt', 'user_id as userId'])
        .where('token_id', '=', tokenId)
        .executeTakeFirst()
    },

    /** Notes that an item is being worked on. False if it has a result, or was erased. */
    start(bulkJobId: BulkJobId, accountId: AccountId): Promise<boolean> {
      return database.transaction(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('bulk_job_items')
          .set({ outcome: 'running' })
          .where('bulk_job_id', '=', bulkJobId)
          .where('account_id', '=', accountId)
          .where('outcome', 'in', ['waiting', 'running'])
          .executeTakeFirst()
        return numUpdatedRows > 0n
      })
    },

    /** Stores the result of an item. False if it has one already: another process ran it, too. */
    async finishItem(
      trx: Transaction,
      bulkJobId: BulkJobId,
      accountId: AccountId,
      { outcome, code, sealedUrl, urlUntil }: ItemResult,
    ): Promise<boolean> {
      const { numUpdatedRows } = await trx
        .updateTable('bulk_job_items')
        .set({ outcome, code, sealed_url: sealedUrl ?? null, url_until: urlUntil ?? null })
        .where('bulk_job_id', '=', bulkJobId)
        .where('account_id', '=', accountId)
        .where('outcome', '=', 'running')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Claims a job that a process has left unfinished. */
    async claimAbandoned(lease: Lease): Promise<BulkJob | undefined> {
      const row = await claimAbandoned(database, 'bulk_jobs', 'bulk_job_id', lease)
      return row && toBulkJob(row)
    },

    /** Extends the lease of a running job, or gives it up with a time that has passed. */
    async setLease(bulkJobId: BulkJobId, aliveUntil: number): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('bulk_jobs')
          .set({ alive_until: aliveUntil })
          .where('bulk_job_id', '=', bulkJobId)
          .where('alive_until', 'is not', null)
          .execute(),
      )
    },

    async finish(bulkJobId: BulkJobId, now: number): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('bulk_jobs')
          .set({ alive_until: null, finished_at: now })
          .where('bulk_job_id', '=', bulkJobId)
          .where('finished_at', 'is', null)
          .execute(),
      )
    },

    /** Erases the URLs that have expired. */
    async eraseUrls(now: number): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('bulk_job_items')
          .set({ sealed_url: null, url_until: null })
          .where('url_until', 'is not', null)
          .where('url_until', '<=', now)
          .execute(),
      )
    },

    /** Deletes at most `limit` jobs that finished before `before`, with their items. Returns how many. */
    deleteOld(before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const rows = await trx
          .selectFrom('bulk_jobs')
          .select('bulk_job_id')
          .where('finished_at', 'is not', null)
          .where('finished_at', '<', before)
          .limit(limit)
          .execute()
        const ids = rows.map((row) => row.bulk_job_id)
        if (ids.length === 0) return 0
        await trx.deleteFrom('bulk_job_items').where('bulk_job_id', 'in', ids).execute()
        await trx.deleteFrom('bulk_jobs').where('bulk_job_id', 'in', ids).execute()
        return ids.length
      })
    },
  }
}

function toBulkJob(row: BulkJobRow): BulkJob {
  return {
    bulkJobId: row.bulk_job_id,
    workspaceId: row.workspace_id,
    action: row.action,
    creator: {
      userId: row.user_id,
      personId: row.person_id,
      tokenId: row.token_id,
      via: row.via,
      requestId: row.request_id,
    },
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}
