import type { Kysely } from 'kysely'
import type { Reach } from '../caller/caller.ts'
import { ALL, type Page } from '../http/page.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/hot-query.ts'
import type { AccountRow, Tables } from '../storage/tables.ts'
import { reachable } from '../workspace/workspace-store.ts'
import { PUBLIC_COLUMNS, type PublicAccountRow } from './wire/account-answer.ts'

/** Which accounts of a workspace. */
export interface AccountListFilter {
  readonly workspaceId: string
  readonly definitionId?: string | undefined
  readonly accountIdentifier?: string | undefined
  readonly linkId?: string | undefined
  readonly status?: string | undefined
  readonly includeDeleted?: boolean | undefined
  /** Rows made up to this time, in epoch milliseconds. */
  readonly upTo?: number | undefined
}

/** Accounts of the workspaces that the caller reaches. */
export function createAccountStore(database: Database) {
  const hotFind = database.hot((db, param: Param<{ id: string; userId: string }>) =>
    db
      .selectFrom('accounts')
      .select(PUBLIC_COLUMNS)
      .where('account_id', '=', param('id'))
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('workspaces')
            .select('workspaces.workspace_id')
            .whereRef('workspaces.workspace_id', '=', 'accounts.workspace_id')
            .where('workspaces.user_id', '=', param('userId'))
            .where('workspaces.deleted_at', 'is', null),
        ),
      ),
  )
  return {
    /** Live or deleted, without its secrets. */
    async find(reach: Reach, accountId: string): Promise<PublicAccountRow | undefined> {
      const row = await hotFind.first({ id: accountId, userId: reach.userId })
      return row !== undefined && (reach.boundTo ?? row.workspace_id) === row.workspace_id
        ? row
        : undefined
    },

    /** The whole row, sealed configuration included. */
    findSealed: (
      db: Kysely<Tables>,
      reach: Reach,
      accountId: string,
    ): Promise<AccountRow | undefined> =>
      db
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('workspace_id', 'in', reachable(db, reach))
        .executeTakeFirst(),

    /** Oldest first. One more than `limit`, so that the caller sees whether there is a next page. */
    list: (reach: Reach, filter: AccountListFilter, page: Page): Promise<PublicAccountRow[]> =>
      listQuery(database.read, reach, filter, page).execute(),

    /** Live accounts of several links, oldest first. */
    listOfLinks: (
      reach: Reach,
      workspaceId: string,
      linkIds: readonly string[],
    ): Promise<PublicAccountRow[]> =>
      linkIds.length === 0
        ? Promise.resolve([])
        : listQuery(database.read, reach, { workspaceId }, ALL)
            .where('link_id', 'in', [...linkIds])
            .execute(),

    async insert(trx: Kysely<Tables>, row: AccountRow): Promise<void> {
      await trx.insertInto('accounts').values(row).execute()
    },

    /** Changes a live account whose credentials are still the ones that were read; tells whether it did. */
    update: (
      trx: Kysely<Tables>,
      reach: Reach,
      before: Pick<AccountRow, 'account_id' | 'credential_version'>,
      change: Partial<AccountRow>,
    ): Promise<boolean> =>
      didUpdate(
        updateQuery(trx, reach, before.account_id, change).where(
          'credential_version',
          '=',
          before.credential_version,
        ),
      ),

    /** Changes a live account whatever became of its credentials meanwhile; tells whether it did. */
    updateName: (
      trx: Kysely<Tables>,
      reach: Reach,
      accountId: string,
      change: Pick<AccountRow, 'updated_at'> & Partial<Pick<AccountRow, 'name'>>,
    ): Promise<boolean> => didUpdate(updateQuery(trx, reach, accountId, change)),

    /** Erases the configuration and leaves a tombstone; tells whether it was alive. */
    async markDeleted(
      trx: Kysely<Tables>,
      reach: Reach,
      accountId: string,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('accounts')
        .set({
          public_config: null,
          sealed_config: null,
          sealed_headers: null,
          deleted_at: now,
          updated_at: now,
        })
        .where('account_id', '=', accountId)
        .where('workspace_id', 'in', reachable(trx, reach))
        .where('deleted_at', 'is', null)
        .returning('account_id')
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>

function updateQuery(
  trx: Kysely<Tables>,
  reach: Reach,
  accountId: string,
  change: Partial<AccountRow>,
) {
  return trx
    .updateTable('accounts')
    .set(change)
    .where('account_id', '=', accountId)
    .where('workspace_id', 'in', reachable(trx, reach))
    .where('deleted_at', 'is', null)
    .returning('account_id')
}

async function didUpdate(query: ReturnType<typeof updateQuery>): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined
}

function listQuery(db: Kysely<Tables>, reach: Reach, filter: AccountListFilter, page: Page) {
  let query = db
    .selectFrom('accounts')
    .select(PUBLIC_COLUMNS)
    .where('workspace_id', '=', filter.workspaceId)
    .where('workspace_id', 'in', reachable(db, reach))
    .orderBy('created_at')
    .orderBy('account_id')
  const { definitionId, accountIdentifier, linkId, status, upTo } = filter
  if (!filter.includeDeleted) query = query.where('deleted_at', 'is', null)
  if (definitionId !== undefined) query = query.where('definition_id', '=', definitionId)
  if (accountIdentifier !== undefined)
    query = query.where('account_identifier', '=', accountIdentifier)
  if (linkId !== undefined) query = query.where('link_id', '=', linkId)
  if (status !== undefined) query = query.where('status', '=', status)
  if (upTo !== undefined) query = query.where('created_at', '<=', upTo)
  if (page.after !== undefined) {
    const { createdAt, id } = page.after
    query = query.where((eb) =>
      eb(eb.refTuple('created_at', 'account_id'), '>', eb.tuple(createdAt, id)),
    )
  }
  return page.limit === undefined ? query : query.limit(page.limit + 1)
}
