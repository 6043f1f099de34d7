import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { BoundedPage } from '../../platform/http/pagination.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { hasAtLeast, isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  AGENT_APPROVAL,
  type AgentApproval,
  type AgentApprovalId,
  type ListedStatus,
} from './agent-approval.ts'
import type { AgentSessionId } from './agent-session.ts'

/** Of which session, and for which request. */
export interface ApprovalSubject {
  readonly agentSessionId: AgentSessionId
  readonly requestHash: Uint8Array
}

/** What agents ask people of the workspaces for that the caller can access. */
export function createAgentApprovalStore(database: Database) {
  return {
    /** An approval in any state. */
    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      agentApprovalId: AgentApprovalId,
    ): Promise<AgentApproval | undefined> {
      const row = await db
        .selectFrom('agent_approvals')
        .selectAll()
        .where('agent_approval_id', '=', agentApprovalId)
        .where(isInAccessibleWorkspace(access, 'agent_approvals'))
        .executeTakeFirst()
      return row && AGENT_APPROVAL.fromRow(row)
    },

    /** Approvals of the same request that have not expired, newest first, unless the request was sent: up to ten. */
    async listOpen(
      db: Kysely<Tables>,
      { agentSessionId, requestHash }: ApprovalSubject,
      now: number,
    ): Promise<AgentApproval[]> {
      const rows = await db
        .selectFrom('agent_approvals')
        .selectAll()
        .where('agent_session_id', '=', agentSessionId)
        .where('request_hash', '=', requestHash)
        .where('status', '!=', 'used')
        .where('expires_at', '>', now)
        .orderBy('created_at', 'desc')
        .limit(10)
        .execute()
      return rows.map(AGENT_APPROVAL.fromRow)
    },

    /** Approvals, newest first, and those that can still be decided or used by their end: up to `limit + 1`. */
    async list(
      access: WorkspaceAccess,
      { workspaceId, status, now }: ApprovalFilter,
      { after, limit }: BoundedPage,
    ): Promise<AgentApproval[]> {
      const order = getOrder(status)
      let query = database.read
        .selectFrom('agent_approvals')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .orderBy(order.column, 'desc')
        .orderBy('agent_approval_id', 'desc')
        .limit(limit + 1)
      if (status !== undefined) query = query.where('status', '=', status)
      if (order.column === 'expires_at') query = query.where('expires_at', '>', now)
      if (after !== undefined)
        query = query.where(isAfter([order.column, 'agent_approval_id'], after, 'desc'))
      return (await query.execute()).map(AGENT_APPROVAL.fromRow)
    },

    async insert(trx: Transaction, approval: AgentApproval): Promise<void> {
      await trx.insertInto('agent_approvals').values(AGENT_APPROVAL.toNewRow(approval)).execute()
    },

    /** Whether at least `count` of the workspace, of the session, or of those that clients of a customer have wait for a decision. */
    hasAtLeastPending(
      trx: Transaction,
      of: PendingOwner,
      count: number,
      now: number,
    ): Promise<boolean> {
      const query = trx.selectFrom('agent_approvals').select('status')
      const pending = whereOwner(trx, query, of, now)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
      return hasAtLeast(pending, count)
    },

    /** Decides once, on however many nodes. @returns whether it could still be decided */
    async decide(
      trx: Transaction,
      agentApprovalId: AgentApprovalId,
      decision: Pick<AgentApproval, 'status' | 'decidedBy'>,
      now: number,
    ): Promise<boolean> {
      const { numUpdatedRows } = await trx
        .updateTable('agent_approvals')
        .set({ status: decision.status, decided_by: decision.decidedBy, decided_at: now })
        .where('agent_approval_id', '=', agentApprovalId)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Deletes approvals that expired before, and returns how many. Background work: not on behalf of a caller. */
    deleteOld(before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('agent_approvals')
          .where('agent_approval_id', 'in', (eb) =>
            eb
              .selectFrom('agent_approvals')
              .select('agent_approval_id')
              .where('expires_at', '<', before)
              .orderBy('expires_at')
              .limit(limit),
          )
          .executeTakeFirst()
        return Number(numDeletedRows)
      })
    },

    /** Takes the right to send a request once. @returns whether it was approved, for this request */
    use(
      agentApprovalId: AgentApprovalId,
      { agentSessionId, requestHash }: ApprovalSubject,
      now: number,
    ): Promise<boolean> {
      return database.transaction(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('agent_approvals')
          .set({ status: 'used' })
          .where('agent_approval_id', '=', agentApprovalId)
          .where('agent_session_id', '=', agentSessionId)
          .where('request_hash', '=', requestHash)
          .where('status', '=', 'approved')
          .where('expires_at', '>', now)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      })
    },
  }
}

export type AgentApprovalStore = ReturnType<typeof createAgentApprovalStore>

/** Whose approvals are counted. */
type PendingOwner =
  | Pick<AgentApproval, 'workspaceId'>
  | Pick<AgentApproval, 'agentSessionId'>
  | { readonly workspaceId: WorkspaceId; readonly accountIdentifier: string }

function whereOwner<O>(
  trx: Transaction,
  query: SelectQueryBuilder<Tables, 'agent_approvals', O>,
  of: PendingOwner,
  now: number,
): SelectQueryBuilder<Tables, 'agent_approvals', O> {
  if ('agentSessionId' in of) return query.where('agent_session_id', '=', of.agentSessionId)
  if (!('accountIdentifier' in of)) return query.where('workspace_id', '=', of.workspaceId)
  const sessions = trx
    .selectFrom('agent_sessions')
    .select('agent_session_id')
    .where('workspace_id', '=', of.workspaceId)
    .where('account_identifier', '=', of.accountIdentifier)
    .where('client_id', 'is not', null)
    // Not by the index of times, in which a workspace has many more.
    .where(sql<number>`+expires_at`, '>', now)
  return query.where('agent_session_id', 'in', sessions)
}

/** What a list is ordered by: a status that ends with its time is not stored. */
export function getOrder(status: ListedStatus | undefined) {
  const isOpen = status === 'pending' || status === 'approved'
  return isOpen
    ? ({ column: 'expires_at', field: 'expiresAt' } as const)
    : ({ column: 'created_at', field: 'createdAt' } as const)
}

/** Which approvals to list. */
export interface ApprovalFilter {
  readonly workspaceId: WorkspaceId
  readonly status: ListedStatus | undefined
  readonly now: number
}
