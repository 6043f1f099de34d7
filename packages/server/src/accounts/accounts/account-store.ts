import { type Kysely, type RawBuilder, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { CursorPosition } from '../../platform/http/pagination.ts'
import { type Cause, MAX_ACCOUNT_CHANGES } from '../../platform/record/change.ts'
import type { Database, MaybePromise, Param } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { hasAtLeast } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  type Account,
  type AccountId,
  type AccountRow,
  type PublicAccount,
  RESPONSE_SCHEMA,
  readResponse,
  stringifyAccount,
} from './account.ts'
import { withoutIndex } from './account-page-query-store.ts'
import { createAccountPages } from './account-page-store.ts'
import {
  ACCOUNT_COLUMNS,
  accountInserts,
  accountUpdates,
  LINKED_ACCOUNT_COLUMNS,
  PUBLIC_ACCOUNT_COLUMNS,
  selectAccounts,
  TOKEN_STATE_COLUMNS,
  toAccount,
  toPublicAccount,
} from './account-row-store.ts'

type ResponseRow = Pick<AccountRow, 'workspace_id' | 'response_schema' | 'response_json'>

/** Accounts of the workspaces that the caller can access. */
export function createAccountStore(database: Database) {
  const preparedFind = database.prepare((db, param: Param<FindParams>) =>
    ownedAccount(db, param).select(PUBLIC_ACCOUNT_COLUMNS),
  )
  const preparedFindResponse = database.prepare(
    (db, param: Param<FindParams>) =>
      ownedAccount(db, param).select(['workspace_id', 'response_schema', 'response_json']),
    { id: 'text', userId: 'text' },
  )
  async function renderResponse(params: FindParams): Promise<string | undefined> {
    const account = await preparedFind.first(params)
    return account && stringifyAccount(toPublicAccount(account))
  }
  return {
    ...createAccountPages(database),
    ...createLinkedAccounts(database),
    ...accountInserts,
    ...accountUpdates,

    /** A live or deleted account, without its secrets. */
    async find(access: WorkspaceAccess, accountId: AccountId): Promise<PublicAccount | undefined> {
      const row = await preparedFind.first({ id: accountId, userId: access.userId })
      return row !== undefined && coversWorkspace(access, row.workspace_id)
        ? toPublicAccount(row)
        : undefined
    },

    /** The response of such an account, as JSON: without a promise on SQLite, if it is stored. */
    findResponse(access: WorkspaceAccess, accountId: AccountId): MaybePromise<string | undefined> {
      const params = { id: accountId, userId: access.userId }
      const toResponse = (row: ResponseRow | undefined) => {
        if (row === undefined || !coversWorkspace(access, row.workspace_id)) return undefined
        return readResponse(row) ?? renderResponse(params)
      }
      const row = preparedFindResponse.firstDirect(params)
      return row instanceof Promise ? row.then(toResponse) : toResponse(row)
    },

    /** A live or deleted account, with its encrypted credentials. */
    async findWithCredentials(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      accountId: AccountId,
    ): Promise<Account | undefined> {
      const row = await selectAccounts(db)
        .select(ACCOUNT_COLUMNS)
        .select(TOKEN_STATE_COLUMNS)
        .where('accounts.account_id', '=', accountId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .executeTakeFirst()
      return row && toAccount(row)
    },

    /** How far agents are restricted with a live account; undefined if there is no such account. */
    async findAgentAccess(
      access: WorkspaceAccess,
      accountId: AccountId,
    ): Promise<Pick<Account, 'agentAccess'> | undefined> {
      const row = await database.read
        .selectFrom('accounts')
        .select('agent_access')
        .where('account_id', '=', accountId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return row && { agentAccess: row.agent_access }
    },

    /** At most ten live accounts of one customer that belong to one user of a provider, oldest first. Pending ones are left out. */
    async listByIdentity(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      { workspaceId, definitionId, accountIdentifier, identityId }: IdentityOwner,
    ): Promise<AccountOfIdentity[]> {
      const rows = await selectAccounts(db)
        .select([...ACCOUNT_COLUMNS, 'accounts.public_config'])
        .select(TOKEN_STATE_COLUMNS)
        .where('accounts.workspace_id', '=', workspaceId)
        .where(isInAccessibleWorkspace(access, 'accounts'))
        .where('accounts.account_identifier', '=', accountIdentifier)
        // Expressions, so that the database uses the index of the identifier: many customers may share an identity.
        .where(sql<string>`accounts.definition_id || ''`, '=', definitionId)
        .where(sql<string>`accounts.identity_id || ''`, '=', identityId)
        .where('accounts.deleted_at', 'is', null)
        .where('accounts.status', '<>', 'pending')
        .orderBy('accounts.created_at')
        .orderBy('accounts.account_id')
        .limit(10)
        .execute()
      return rows.map((row) => ({
        ...toAccount(row),
        publicConfig: row.public_config === null ? null : JSON.parse(row.public_config),
      }))
    },
  }
}

/** A user of a provider, as one customer of a workspace. */
interface IdentityOwner extends Pick<Account, 'workspaceId' | 'definitionId'> {
  readonly accountIdentifier: string
  readonly identityId: string
}

type AccountOfIdentity = Account & Pick<PublicAccount, 'publicConfig'>

export type AccountStore = ReturnType<typeof createAccountStore>

interface FindParams {
  readonly id: AccountId
  readonly userId: UserId
}

function ownedAccount(db: Kysely<Tables>, param: Param<FindParams>) {
  return db
    .selectFrom('accounts')
    .where('account_id', '=', param('id'))
    .where(isOwnedWorkspace(param('userId'), sql.ref('accounts.workspace_id')))
}

/** The accounts of links, in the workspaces that the caller can access. */
function createLinkedAccounts(database: Database) {
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
      return hasAtLeast(query, count)
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

/** What happened to an account, and its status since then. */
export interface AccountHistoryEntry {
  /** Epoch milliseconds. */
  readonly at: number
  /** The action of the audit trail, such as `account.updated`. */
  readonly action: string
  readonly status: string
  readonly statusReason: string | null
  readonly cause: Cause
}

/** The last changes of an account, newest first. */
export async function listAccountChanges(
  { read }: Pick<Database, 'read'>,
  access: WorkspaceAccess,
  { workspaceId, accountId }: { workspaceId: WorkspaceId; accountId: AccountId },
): Promise<AccountHistoryEntry[]> {
  const rows = await read
    .selectFrom('account_changes')
    .select(['at', 'action', 'status', 'reason', 'cause'])
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', accountId)
    .where(isInAccessibleWorkspace(access, 'account_changes'))
    .orderBy('change_id', 'desc')
    .limit(MAX_ACCOUNT_CHANGES)
    .execute()
  return rows.map(({ at, action, status, reason, cause }) => ({
    at,
    action,
    status,
    statusReason: reason,
    cause: JSON.parse(cause),
  }))
}
