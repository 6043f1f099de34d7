import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { AccountId } from '../accounts/account.ts'
import {
  SIGN_IN_REQUEST,
  type SignInRequest,
  type SignInRequestId,
  type SignInStatus,
} from './sign-in-request.ts'

/** The pages that agents send people to. */
export function createSignInRequestStore(database: Database) {
  return {
    /** A request of a workspace that the caller can access. */
    async find(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      signInRequestId: SignInRequestId,
    ): Promise<SignInRequest | undefined> {
      const row = await db
        .selectFrom('sign_in_requests')
        .selectAll()
        .where('sign_in_request_id', '=', signInRequestId)
        .where(isInAccessibleWorkspace(access, 'sign_in_requests'))
        .executeTakeFirst()
      return row && SIGN_IN_REQUEST.fromRow(row)
    },

    /** The request of a page, with the owner of its workspace, as whom the page acts. */
    async findForPage(
      signInRequestId: SignInRequestId,
    ): Promise<{ readonly request: SignInRequest; readonly userId: UserId } | undefined> {
      const row = await database.read
        .selectFrom('sign_in_requests')
        .innerJoin('workspaces', 'workspaces.workspace_id', 'sign_in_requests.workspace_id')
        .selectAll('sign_in_requests')
        .select('workspaces.user_id')
        .where('sign_in_request_id', '=', signInRequestId)
        .where('workspaces.deleted_at', 'is', null)
        .executeTakeFirst()
      return row && { request: SIGN_IN_REQUEST.fromRow(row), userId: row.user_id }
    },

    /** The last one of a session about a subject, in any state. */
    async findLast(
      db: Kysely<Tables>,
      { agentSessionId, subject }: Pick<SignInRequest, 'agentSessionId' | 'subject'>,
    ): Promise<SignInRequest | undefined> {
      const row = await db
        .selectFrom('sign_in_requests')
        .selectAll()
        .where('agent_session_id', '=', agentSessionId)
        .where('subject', '=', subject)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && SIGN_IN_REQUEST.fromRow(row)
    },

    /** The accounts that were connected in a connect session; undefined until it is completed. */
    async findConnected(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      connectSessionId: Id<'cns'>,
    ): Promise<readonly AccountId[] | undefined> {
      const row = await db
        .selectFrom('connect_sessions')
        .select('account_ids')
        .where('connect_session_id', '=', connectSessionId)
        .where('completed_at', 'is not', null)
        .where(isInAccessibleWorkspace(access, 'connect_sessions'))
        .executeTakeFirst()
      return row && JSON.parse(row.account_ids)
    },

    /** The live accounts of the customer of a page, at most `limit`, with the names of their tools. */
    async listAccounts(
      access: WorkspaceAccess,
      { workspaceId, expectedIdentifier }: SignInRequest,
      limit: number,
    ): Promise<{ readonly name: string; readonly tool: string }[]> {
      return database.read
        .selectFrom('accounts')
        .innerJoin('definitions', 'definitions.definition_id', 'accounts.definition_id')
        .select(['accounts.name', 'definitions.name as tool'])
        .where('accounts.workspace_id', '=', workspaceId)
        .where('accounts.account_identifier', '=', expectedIdentifier)
        .where('accounts.deleted_at', 'is', null)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .limit(limit)
        .execute()
    },

    async insert(trx: Transaction, request: SignInRequest): Promise<void> {
      await trx.insertInto('sign_in_requests').values(SIGN_IN_REQUEST.toNewRow(request)).execute()
    },

    /** Changes a request that is as the step needs it, once on however many nodes. @returns whether it was */
    async update(
      trx: Transaction,
      { signInRequestId, from, codeHash, now }: SignInStep,
      change: SignInChange,
    ): Promise<boolean> {
      const update = trx
        .updateTable('sign_in_requests')
        .set(SIGN_IN_REQUEST.toColumns(change))
        .where('sign_in_request_id', '=', signInRequestId)
        .where('status', 'in', from)
        .where('expires_at', '>', now)
      const { numUpdatedRows } = await (codeHash === undefined
        ? update
        : update.where('code_hash', '=', codeHash)
      ).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Deletes requests that expired before, and returns how many. Background work: not on behalf of a caller. */
    deleteOld(before: number, limit: number): Promise<number> {
      return database.transaction(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('sign_in_requests')
          .where('sign_in_request_id', 'in', (eb) =>
            eb
              .selectFrom('sign_in_requests')
              .select('sign_in_request_id')
              .where('expires_at', '<', before)
              .orderBy('expires_at')
              .limit(limit),
          )
          .executeTakeFirst()
        return Number(numDeletedRows)
      })
    },
  }
}

export type SignInRequestStore = ReturnType<typeof createSignInRequestStore>

/** A step that only a request with one of these statuses takes. */
export interface SignInStep {
  readonly signInRequestId: SignInRequestId
  readonly from: readonly SignInStatus[]
  /** The code that it must still have: a later one is for whom the product has named since. */
  readonly codeHash?: Uint8Array
  readonly now: number
}

type SignInChange = Partial<
  Pick<
    SignInRequest,
    | 'status'
    | 'browserHash'
    | 'codeHash'
    | 'codeExpiresAt'
    | 'isCustomer'
    | 'expectedIdentifier'
    | 'connectSessionId'
  >
>
