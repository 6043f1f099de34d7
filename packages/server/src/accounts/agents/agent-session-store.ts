import { type Kysely, sql } from 'kysely'
import type { Caller, WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { ApiError } from '../../platform/errors.ts'
import type { BoundedPage } from '../../platform/http/pagination.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { hasAtLeast, isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { AccountId, Tags } from '../accounts/account.ts'
import {
  AGENT_SESSION,
  type AgentSession,
  type AgentSessionId,
  MAX_ACCOUNTS,
  type StoredAgentSession,
} from './agent-session.ts'

/** Agent sessions of the workspaces that the caller can access. */
export function createAgentSessionStore(database: Database) {
  return {
    /** A session in any state. */
    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      agentSessionId: AgentSessionId,
    ): Promise<AgentSession | undefined> {
      const row = await selectSessions(db)
        .where('agent_session_id', '=', agentSessionId)
        .where(isInAccessibleWorkspace(access, 'agent_sessions'))
        .executeTakeFirst()
      return row && toAgentSession(row)
    },

    /** The session of a token that was just authenticated. */
    async findByToken(tokenId: Id<'tok'>): Promise<AgentSession | undefined> {
      const row = await selectSessions(database.read)
        .where('agent_sessions.token_id', '=', tokenId)
        .executeTakeFirst()
      return row && toAgentSession(row)
    },

    /** Sessions in any state, newest first. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      { after, limit }: BoundedPage,
    ): Promise<AgentSession[]> {
      let query = selectSessions(database.read)
        .where('agent_sessions.workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .orderBy('agent_sessions.created_at', 'desc')
        .orderBy('agent_session_id', 'desc')
        .limit(limit + 1)
      if (after !== undefined)
        query = query.where(
          isAfter(['agent_sessions.created_at', 'agent_session_id'], after, 'desc'),
        )
      return (await query.execute()).map(toAgentSession)
    },

    /** Whether the workspace has any sessions. */
    async hasAny(access: WorkspaceAccess, workspaceId: WorkspaceId): Promise<boolean> {
      const row = await database.read
        .selectFrom('agent_sessions')
        .select('agent_session_id')
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * The newest sessions, at most `limit`, that have sent requests and have this account: of the last 200 of its customer, and of the
     * last 200 of the workspace, which may name no customer.
     */
    async listUsed(
      access: WorkspaceAccess,
      { workspaceId, accountIdentifier, accountId }: UsedAccount,
      limit: number,
    ): Promise<AgentSession[]> {
      const ofWorkspace = this.list(access, workspaceId, { after: undefined, limit: NEWEST })
      const ofCustomer = selectSessions(database.read)
        .where('agent_sessions.workspace_id', '=', workspaceId)
        .where('account_identifier', '=', accountIdentifier)
        .where(isAccessibleWorkspace(access, workspaceId))
        .orderBy('agent_session_id', 'desc')
        .limit(NEWEST)
      const found = [...(await ofWorkspace), ...(await ofCustomer.execute()).map(toAgentSession)]
      const sessions = new Map(found.map((each) => [each.agentSessionId, each]))
      // It has all accounts of its customer.
      const isOfClient = (each: AgentSession) =>
        each.clientId !== null && each.accountIdentifier === accountIdentifier
      return [...sessions.values()]
        .filter(
          (each) => each.calls > 0 && (each.accountIds.includes(accountId) || isOfClient(each)),
        )
        .sort((a, b) => b.createdAt - a.createdAt)
        .slice(0, limit)
    },

    /** Whether the workspace has a session that has not ended. */
    async hasOpen(workspaceId: WorkspaceId, now: number): Promise<boolean> {
      const row = await database.read
        .selectFrom('agent_sessions')
        .innerJoin('tokens', 'tokens.token_id', 'agent_sessions.token_id')
        .select('agent_session_id')
        .where('agent_sessions.workspace_id', '=', workspaceId)
        .where('agent_sessions.expires_at', '>', now)
        .where('tokens.revoked_at', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async insert(trx: Transaction, session: StoredAgentSession): Promise<void> {
      await trx.insertInto('agent_sessions').values(AGENT_SESSION.toNewRow(session)).execute()
    },

    /** The sessions of a customer that clients have and that expire after `now`, newest first. */
    async listOfCustomer(
      db: Kysely<Tables>,
      {
        workspaceId,
        accountIdentifier,
      }: Pick<CustomerAccounts, 'workspaceId' | 'accountIdentifier'>,
      now: number,
    ): Promise<AgentSession[]> {
      const rows = await selectSessions(db)
        .where('agent_sessions.workspace_id', '=', workspaceId)
        .where('agent_sessions.account_identifier', '=', accountIdentifier)
        .where('agent_sessions.client_id', 'is not', null)
        // Not by the index of times, in which a workspace has many more.
        .where(sql<number>`+agent_sessions.expires_at`, '>', now)
        .orderBy('agent_session_id', 'desc')
        .execute()
      return rows.map(toAgentSession)
    },

    /** Lets a session of a client live at least as long as its tokens, unless it has ended. */
    async extend(
      trx: Transaction,
      agentSessionId: AgentSessionId,
      { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
    ): Promise<void> {
      const isShorter = trx
        .selectFrom('agent_sessions')
        .select('token_id')
        .where('agent_session_id', '=', agentSessionId)
        .where('expires_at', '>', now)
        .where('expires_at', '<', expiresAt)
      // In the order in which a session is ended, which may happen at the same time.
      await trx
        .updateTable('tokens')
        .set({ expires_at: expiresAt })
        .where('token_id', 'in', isShorter)
        .where('revoked_at', 'is', null)
        .execute()
      await trx
        .updateTable('agent_sessions')
        .set({ expires_at: expiresAt })
        .where('agent_session_id', '=', agentSessionId)
        .where('expires_at', '>', now)
        .where('expires_at', '<', expiresAt)
        .execute()
    },

    /** The session that a token of a client belongs to, with the owner of its workspace. */
    async findWithOwner(
      db: Kysely<Tables>,
      agentSessionId: AgentSessionId,
    ): Promise<{ readonly session: AgentSession; readonly userId: Id<'usr'> } | undefined> {
      const row = await selectSessions(db)
        .select('tokens.user_id')
        .where('agent_session_id', '=', agentSessionId)
        .executeTakeFirst()
      return row && { session: toAgentSession(row), userId: row.user_id }
    },

    /** Whether the workspace has at least `count` sessions with tokens of their own that expire after `now`. */
    hasAtLeastOpen(
      trx: Transaction,
      workspaceId: WorkspaceId,
      count: number,
      now: number,
    ): Promise<boolean> {
      const open = trx
        .selectFrom('agent_sessions')
        .select('expires_at')
        .where('workspace_id', '=', workspaceId)
        .where('client_id', 'is', null)
        .where('expires_at', '>', now)
      return hasAtLeast(open, count)
    },

    /** Ends a session before its time, whose token is revoked. */
    async end(trx: Transaction, agentSessionId: AgentSessionId, now: number): Promise<void> {
      await trx
        .updateTable('agent_sessions')
        .set({ expires_at: now })
        .where('agent_session_id', '=', agentSessionId)
        .execute()
    },

    /** The live accounts of a customer, at most `limit`: of these accounts, of these tools and with all of these tags. */
    async listAccounts(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      { workspaceId, accountIdentifier, accountIds, definitionIds, tags = {} }: CustomerAccounts,
      limit: number,
    ): Promise<AccountId[]> {
      let query = db
        .selectFrom('accounts')
        .select('account_id')
        .where('workspace_id', '=', workspaceId)
        .where('account_identifier', '=', accountIdentifier)
        .where('deleted_at', 'is', null)
        .where(isAccessibleWorkspace(access, workspaceId))
        .limit(limit)
      if (accountIds !== undefined) query = query.where('account_id', 'in', accountIds)
      if (definitionIds !== undefined) query = query.where('definition_id', 'in', definitionIds)
      for (const [key, value] of Object.entries(tags))
        query = query.where(
          (eb) =>
            eb
              .selectFrom('account_tags')
              .select('value')
              .whereRef('account_tags.account_id', '=', 'accounts.account_id')
              .where('key', '=', key),
          '=',
          value,
        )
      return (await query.execute()).map((row) => row.account_id)
    },

    /**
     * Adds accounts to what a session can use, of those that its customer has.
     *
     * @returns its accounts
     */
    async addAccounts(
      trx: Transaction,
      { tokenId, accountIds }: Pick<AgentSession, 'tokenId' | 'accountIds'>,
      added: readonly AccountId[],
    ): Promise<readonly AccountId[]> {
      const all = [...new Set([...accountIds, ...added])].slice(0, MAX_ACCOUNTS)
      await trx
        .updateTable('tokens')
        .set({ account_ids: all.join(' ') })
        .where('token_id', '=', tokenId)
        .where('revoked_at', 'is', null)
        .execute()
      return all
    },

    /**
     * Takes one request from what the session has left, exactly, on however many nodes. A session that has ended has none, although
     * its token was valid when the request began.
     *
     * @returns whether there was one
     */
    spend(
      agentSessionId: AgentSessionId,
      { isWrite, now }: { readonly isWrite: boolean; readonly now: number },
    ): Promise<boolean> {
      const minute = Math.floor(now / 60_000)
      // A node whose clock is a little ahead has begun the next one, which this one then counts in, too.
      const isCurrent = sql<boolean>`minute in (${minute}, ${minute + 1})`
      const writes = isWrite ? 1 : 0
      return database.transaction(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('agent_sessions')
          .set((eb) => ({
            calls: eb('calls', '+', 1),
            writes: eb('writes', '+', writes),
            minute: sql<number>`case when ${isCurrent} then minute else ${minute} end`,
            minute_calls: sql<number>`case when ${isCurrent} then minute_calls + 1 else 1 end`,
          }))
          .where('agent_session_id', '=', agentSessionId)
          .where('expires_at', '>', now)
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom('tokens')
                .select('tokens.token_id')
                .whereRef('tokens.token_id', '=', 'agent_sessions.token_id')
                .where('tokens.revoked_at', 'is', null),
            ),
          )
          .where('calls', '<', (eb) => eb.ref('max_calls'))
          .where((eb) => eb(eb('writes', '+', writes), '<=', eb.ref('max_writes')))
          .where((eb) =>
            eb.or([eb.not(isCurrent), eb('minute_calls', '<', eb.ref('calls_per_minute'))]),
          )
          .executeTakeFirst()
        return numUpdatedRows > 0n
      })
    },
  }
}

const NEWEST = 200

export type AgentSessionStore = ReturnType<typeof createAgentSessionStore>

/** The session of the caller's token. @throws ApiError `token_invalid`: it has been deleted meanwhile */
export async function requireOwnSession(
  { agentSessions }: { readonly agentSessions: Pick<AgentSessionStore, 'findByToken'> },
  { tokenId }: Pick<Caller, 'tokenId'>,
): Promise<AgentSession> {
  const session = await agentSessions.findByToken(tokenId)
  if (session !== undefined) return session
  throw new ApiError('token_invalid', 'The session of this token does not exist any more.')
}

/** An account that agents may have used. */
interface UsedAccount {
  readonly workspaceId: WorkspaceId
  readonly accountIdentifier: string | null
  readonly accountId: AccountId
}

/** Accounts of one customer. */
export interface CustomerAccounts {
  readonly workspaceId: WorkspaceId
  readonly accountIdentifier: string
  readonly accountIds?: readonly AccountId[] | undefined
  readonly definitionIds?: readonly DefinitionId[] | undefined
  readonly tags?: Tags
}

function selectSessions(db: Kysely<Tables>) {
  return db
    .selectFrom('agent_sessions')
    .innerJoin('tokens', 'tokens.token_id', 'agent_sessions.token_id')
    .selectAll('agent_sessions')
    .select(['tokens.account_ids', 'tokens.revoked_at'])
}

function toAgentSession(
  row: Tables['agent_sessions'] & {
    readonly account_ids: string | null
    readonly revoked_at: number | null
  },
): AgentSession {
  return {
    ...AGENT_SESSION.fromRow(row),
    accountIds: (row.account_ids?.split(' ') ?? []) as AccountId[],
    revokedAt: row.revoked_at,
  }
}
