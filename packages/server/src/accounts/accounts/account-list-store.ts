import { type Kysely, type RawBuilder, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { CursorPosition } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { AccountId } from './account.ts'
import { RESPONSE_SCHEMA } from './account.ts'
import { withoutIndex } from './account-page-query-store.ts'
import { LINKED_ACCOUNT_COLUMNS, toPublicAccount } from './account-row-store.ts'
import { stringifyAccount } from './schemas/account.ts'

/** The accounts of links, in the workspaces that the caller can access. */
export function createLinkedAccounts(database: Database) {
  const preparedByLink = prepareLinkedAccounts(database, (query, param) =>
    query.where('link_id', '=', param('linkId')),
  )
  const preparedByIdentifier = prepareLinkedAccounts(database, (query, param) =>
    query
      .where('account_identifier', '=', param('accountIdentifier'))
      .where(withoutIndex('link_id'), '=', param('linkId')),
  )
  return {
    /**
     * The newest live accounts of a link, optionally only those with one identifier, newest first, without their
     * configurations.
     */
    async readLinkedAccounts(
      access: WorkspaceAccess,
      { workspaceId, linkId }: { readonly workspaceId: WorkspaceId; readonly linkId: Id<'lnk'> },
      accountIdentifier?: string,
    ): Promise<LinkedAccounts> {
      if (!coversWorkspace(access, workspaceId)) return { json: '[]', next: undefined }
      const { json, rows } = accountIdentifier === undefined ? preparedByLink : preparedByIdentifier
      const params = {
        workspaceId,
        linkId,
        userId: access.userId,
        accountIdentifier: accountIdentifier ?? '',
      }
      const stored = await json.first(params)
      const count = Number(stored?.count ?? 0)
      const lastId = stored?.ids?.split(',').at(-1) as AccountId | undefined
      const next =
        count < MAX_LINKED_ACCOUNTS || stored?.last_time == null || lastId === undefined
          ? undefined
          : { createdAt: Number(stored.last_time), id: lastId }
      if (stored !== undefined && stored.stored_count === stored.count)
        return { json: stored.json, next }
      const accounts = (await rows.all(params)).map(toPublicAccount)
      const texts = accounts.map((each) => stringifyAccount({ ...each, publicConfig: null }))
      return { json: `[${texts.join()}]`, next }
    },

    /**
     * Whether the link has at least `count` live accounts, including pending ones; if `group` is set, with that
     * accountIdentifier.
     */
    async hasAtLeastLinkedAccounts(
      db: Kysely<Tables>,
      link: { readonly linkId: Id<'lnk'>; readonly workspaceId: WorkspaceId },
      count: number,
      group?: { readonly accountIdentifier: string | null },
    ): Promise<boolean> {
      let query = db
        .selectFrom('accounts')
        .select('account_id')
        .where('link_id', '=', link.linkId)
        .where('workspace_id', '=', link.workspaceId)
        .where('deleted_at', 'is', null)
      if (group !== undefined) {
        const { accountIdentifier } = group
        query =
          accountIdentifier === null
            ? query.where('account_identifier', 'is', null)
            : query.where('account_identifier', '=', accountIdentifier)
      }
      const last = await query
        .limit(1)
        .offset(count - 1)
        .executeTakeFirst()
      return last !== undefined
    },
  }
}

/** Accounts that a link contains at most. The list of accounts has all. */
export const MAX_LINKED_ACCOUNTS = 100

/** The newest accounts of a link. */
export interface LinkedAccounts {
  /** A JSON array. */
  readonly json: string
  /** The last of them, if there may be older ones. */
  readonly next: CursorPosition<AccountId> | undefined
}

interface LinkParams {
  readonly workspaceId: WorkspaceId
  readonly linkId: Id<'lnk'>
  readonly userId: UserId
  readonly accountIdentifier: string
}

type LinkedAccountsQuery = ReturnType<typeof selectLiveAccounts>

function prepareLinkedAccounts(
  database: Database,
  select: (query: LinkedAccountsQuery, param: Param<LinkParams>) => LinkedAccountsQuery,
) {
  const selectNewest = (db: Kysely<Tables>, param: Param<LinkParams>) =>
    select(selectLiveAccounts(db, param), param)
      .orderBy('created_at', 'desc')
      .orderBy('account_id', 'desc')
      .limit(MAX_LINKED_ACCOUNTS)
  const isSqlite = database.dialect === 'sqlite'
  const linkedResponse = isSqlite ? SQLITE_LINKED_RESPONSE : POSTGRES_LINKED_RESPONSE
  const joined = isSqlite ? sql`group_concat` : sql`string_agg`
  const join = (value: RawBuilder<unknown>) =>
    sql<string | null>`${joined}(${value}, ',' order by created_at desc, account_id desc)`
  return {
    json: database.prepare((db, param: Param<LinkParams>) =>
      db
        .selectFrom(
          selectNewest(db, param)
            .select(['created_at', 'account_id', 'response_json', 'response_schema'])
            .select(linkedResponse.as('json'))
            .as('linked'),
        )
        .select([
          sql<string>`'[' || coalesce(${join(sql`json`)}, '') || ']'`.as('json'),
          join(sql`account_id`).as('ids'),
          sql<number>`count(*)`.as('count'),
          sql<number | null>`min(created_at)`.as('last_time'),
          sql<number>`count(json)`.as('stored_count'),
        ]),
    ),
    rows: database.prepare((db, param: Param<LinkParams>) =>
      selectNewest(db, param).select(LINKED_ACCOUNT_COLUMNS),
    ),
  }
}

function selectLiveAccounts(db: Kysely<Tables>, param: Param<LinkParams>) {
  return db
    .selectFrom('accounts')
    .where('workspace_id', '=', param('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .where('deleted_at', 'is', null)
}

// The configuration is a part of the stored response, letter by letter. If it is not, the account counts as one without a
// stored response. The replaced text occurs once: quotes inside of strings have a backslash.
const CONFIG = sql`'"integrationConfiguration":' || public_config || ',"authType":'`
const WITHOUT_CONFIG = sql`replace(response_json, ${CONFIG}, '"integrationConfiguration":null,"authType":')`
const linkedResponseIf = (position: RawBuilder<number>) =>
  sql<
    string | null
  >`case when response_schema = ${sql.lit(RESPONSE_SCHEMA)} and ${position} > 0 then ${WITHOUT_CONFIG} end`
const SQLITE_LINKED_RESPONSE = linkedResponseIf(sql<number>`instr(response_json, ${CONFIG})`)
const POSTGRES_LINKED_RESPONSE = linkedResponseIf(sql<number>`strpos(response_json, ${CONFIG})`)
