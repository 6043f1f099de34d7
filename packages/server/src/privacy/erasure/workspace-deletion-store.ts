import { sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { deleteAccountState } from '../../accounts/accounts/account-row-store.ts'
import { deleteRecordsOfSessions } from '../../accounts/agents/oauth-server-record-store.ts'
import { deleteStatisticsOfWorkspace } from '../../activity/statistics/statistics-store.ts'
import { deleteOfEndpoint } from '../../activity/webhooks/delivery-store.ts'
import { deleteIdempotencyKeys } from '../../platform/record/idempotency-retention-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { claimAbandoned, type Lease } from '../../platform/storage/lease.ts'

/** Deletes workspaces, and claims those whose data is not erased yet, or has to be erased again. */
export function createWorkspaceDeletionStore(database: Database) {
  return {
    /**
     * Hides a workspace from every caller, ends its members, revokes its tokens and its links, and stops its webhooks. Returns false if the
     * caller cannot access it.
     */
    async markDeleted(
      trx: Transaction,
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      { now, aliveUntil }: Lease,
    ): Promise<boolean> {
      const workspace = await trx
        .updateTable('workspaces')
        // The slug is free for another workspace.
        .set({ deleted_at: now, updated_at: now, slug: workspaceId, name: '', settings: '{}' })
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'workspaces'))
        .returning('user_id as userId')
        .executeTakeFirst()
      if (workspace === undefined) return false
      await trx
        .insertInto('workspace_deletions')
        .values({
          workspace_id: workspaceId,
          alive_until: aliveUntil,
          created_at: now,
          finished_at: null,
        })
        .execute()
      await trx
        .updateTable('tokens')
        .set({ revoked_at: now, name: '' })
        .where('workspace_id', '=', workspaceId)
        .where('revoked_at', 'is', null)
        .execute()
      await trx
        .updateTable('members')
        .set((eb) => ({
          ended_at: now,
          email: '',
          email_key: eb.ref('member_id'),
          invitation_hash: null,
        }))
        .where('workspace_id', '=', workspaceId)
        .where('ended_at', 'is', null)
        .execute()
      await trx
        .updateTable('webhook_endpoints')
        .set({ deleted_at: now, due_at: null, sealed_headers: null })
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .execute()
      await deleteIdempotencyKeys(trx, workspace, { workspaceId })
      return true
    },

    async isRunning(workspaceId: WorkspaceId): Promise<boolean> {
      const row = await database.read
        .selectFrom('workspace_deletions')
        .select('workspace_id')
        .where('workspace_id', '=', workspaceId)
        .where('finished_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Claims a deletion that a process has left unfinished. */
    async claimAbandoned(lease: Lease): Promise<WorkspaceId | undefined> {
      const row = await claimAbandoned(database, 'workspace_deletions', 'workspace_id', lease)
      return row?.workspace_id
    },

    async extendLease(
      trx: Transaction,
      workspaceId: WorkspaceId,
      aliveUntil: number,
    ): Promise<void> {
      await trx
        .updateTable('workspace_deletions')
        .set({ alive_until: aliveUntil })
        .where('workspace_id', '=', workspaceId)
        .execute()
    },

    async listLiveAccounts(workspaceId: WorkspaceId, limit: number): Promise<AccountId[]> {
      const rows = await database.read
        .selectFrom('accounts')
        .select('account_id')
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .limit(limit)
        .execute()
      return rows.map((row) => row.account_id)
    },

    /** Deletes accounts of the workspace, without tombstones, which no one could read. */
    async deleteAccounts(
      trx: Transaction,
      workspaceId: WorkspaceId,
      ids: readonly AccountId[],
    ): Promise<AccountId[]> {
      const rows = await trx
        .deleteFrom('accounts')
        .where('account_id', 'in', ids)
        .where('workspace_id', '=', workspaceId)
        .returning(['account_id', 'workspace_id'])
        .execute()
      await deleteAccountState(trx, rows)
      return rows.map((row) => row.account_id)
    },

    /**
     * Ends a pass. Returns whether it was the first one: requests that were running then may store more, which a second pass
     * at `secondPassAt` erases. Epoch milliseconds.
     */
    async finishPass(
      trx: Transaction,
      workspaceId: WorkspaceId,
      { now, secondPassAt }: { readonly now: number; readonly secondPassAt: number },
    ): Promise<boolean> {
      const { numUpdatedRows } = await trx
        .updateTable('workspace_deletions')
        .set({ finished_at: now, alive_until: secondPassAt })
        .where('workspace_id', '=', workspaceId)
        .where('finished_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) return true
      await trx.deleteFrom('workspace_deletions').where('workspace_id', '=', workspaceId).execute()
      return false
    },
  }
}

export type WorkspaceDeletionStore = ReturnType<typeof createWorkspaceDeletionStore>

/** Deletes up to a hundred rows of a workspace and returns how many. */
export type DeleteStep = (trx: Transaction, workspaceId: WorkspaceId) => Promise<number>

function deleteRows(table: string, key: string): DeleteStep {
  return async (trx, workspaceId) => {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where workspace_id = ${workspaceId} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)}
        where workspace_id = ${workspaceId} limit ${sql.lit(BATCH)}
      )`.execute(trx)
    return Number(numAffectedRows ?? 0)
  }
}

const BATCH = 100

/** With the codes and tokens of their clients. */
const deleteAgentSessions: DeleteStep = async (trx, workspaceId) => {
  const rows = await trx
    .selectFrom('agent_sessions')
    .select('agent_session_id')
    .where('workspace_id', '=', workspaceId)
    .limit(BATCH)
    .execute()
  const ids = rows.map((row) => row.agent_session_id)
  if (ids.length === 0) return 0
  await deleteRecordsOfSessions(trx, ids)
  await trx.deleteFrom('agent_sessions').where('agent_session_id', 'in', ids).execute()
  return ids.length
}

/** What could create accounts, or tells of the people who tried. */
export const DELETE_SESSIONS: readonly DeleteStep[] = [
  deleteRows('oauth_sessions', 'attempt_id'),
  deleteRows('submissions', 'attempt_id'),
  deleteRows('connect_sessions', 'connect_session_id'),
]

/** Everything else of a workspace, once its accounts are deleted. Definitions stay as tombstones, without their pins. */
export const DELETE_REMAINDER: readonly DeleteStep[] = [
  deleteRows('agent_approvals', 'agent_approval_id'),
  deleteRows('sign_in_requests', 'sign_in_request_id'),
  deleteAgentSessions,
  deleteRows('mcp_tools', 'mcp_tool_id'),
  deleteRows('accounts', 'account_id'),
  deleteRows('account_tokens', 'account_id'),
  deleteRows('account_scopes', 'account_id'),
  deleteRows('account_health', 'account_id'),
  deleteRows('account_changes', 'change_id'),
  deleteRows('connect_attempts', 'attempt_id'),
  deleteRows('request_log', 'request_log_id'),
  deleteRows('debug_windows', 'account_id'),
  deleteRows('debug_exchanges', 'request_log_id'),
  deleteRows('bulk_job_items', 'bulk_job_id'),
  deleteRows('bulk_jobs', 'bulk_job_id'),
  (trx, workspaceId) => deleteStatisticsOfWorkspace(trx, workspaceId, BATCH),
  deleteLinks,
  deleteRows('oauth_apps', 'oauth_app_id'),
  deleteRows('previews', 'preview_id'),
  deleteRows('definition_health', 'definition_id'),
  deleteRows('definition_pins', 'definition_id'),
  deleteRows('definition_icons', 'definition_id'),
  deleteRows('previous_versions', 'definition_id'),
  deleteDefinitions,
  // Behind everything that triggers write it for.
  deleteRows('definition_epochs', 'workspace_id'),
  deleteRows('events', 'position'),
  deleteRows('event_sequences', 'workspace_id'),
  deleteWebhooks,
  deleteRows('erasures', 'erasure_id'),
]

/** Deletes endpoints with their deliveries, whose logged responses may repeat events. */
async function deleteWebhooks(trx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const endpoint = await trx
    .selectFrom('webhook_endpoints')
    .select('endpoint_id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .executeTakeFirst()
  return endpoint === undefined ? 0 : deleteOfEndpoint(trx, endpoint.endpoint_id, BATCH)
}

async function deleteLinks(trx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const rows = await trx
    .selectFrom('links')
    .select('link_id')
    .where('workspace_id', '=', workspaceId)
    .limit(BATCH)
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map((row) => row.link_id)
  await trx.deleteFrom('link_aliases').where('link_id', 'in', ids).execute()
  await trx.deleteFrom('link_counters').where('link_id', 'in', ids).execute()
  await trx.deleteFrom('links').where('link_id', 'in', ids).execute()
  return ids.length
}

async function deleteDefinitions(trx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('definitions')
    .set((eb) => ({ deleted_at: eb.ref('updated_at') }))
    .where('definition_id', 'in', (eb) =>
      eb
        .selectFrom('definitions')
        .select('definition_id')
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .limit(BATCH),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
