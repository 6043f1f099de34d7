import { type Kysely, type RawBuilder, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import { isAccessibleWorkspace, isOwnedWorkspace } from '../auth/workspace-access-store.ts'
import type { Database } from '../storage/database.ts'
import type { Id } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import type { UserId } from '../users/user.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { PublicAccount } from './account.ts'
import { VERIFIED_SCHEMA, withoutIndex } from './account-columns-store.ts'
import { SCHEMAS, verifyResponses } from './account-response-store.ts'
import { LINKED_ACCOUNT_COLUMNS, toPublicAccount } from './account-row-store.ts'
import { RESPONSE_SCHEMA, stringifyAccount } from './schemas/account.ts'

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
     * Live accounts of a link, optionally only those with one identifier, oldest first, as a JSON array; without their
     * configurations.
     */
    async readLinkedAccounts(
      access: WorkspaceAccess,
      { workspaceId, linkId }: { readonly workspaceId: WorkspaceId; readonly linkId: Id<'lnk'> },
      accountIdentifier: string | undefined,
    ): Promise<string> {
      if (!coversWorkspace(access, workspaceId)) return '[]'
      const { json, rows } = accountIdentifier === undefined ? preparedByLink : preparedByIdentifier
      const params = {
        workspaceId,
        linkId,
        userId: access.userId,
        accountIdentifier: accountIdentifier ?? '',
      }
      const stored = await json.first(params)
      if (stored !== undefined && stored.stored_count === stored.count) {
        const { responses, schemas, ids } = stored
        if (schemas !== null)
          verifyResponses(Buffer.from(responses), Buffer.from(schemas), ids ?? '')
        return stored.json
      }
      const accounts = (await rows.all(params)).map(toPublicAccount)
      return `[${accounts.map((each) => stringifyAccount({ ...each, publicConfig: null })).join()}]`
    },

    /** Live accounts of several links, oldest first; without their configurations. */
    async listOfLinks(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      linkIds: readonly Id<'lnk'>[],
    ): Promise<PublicAccount[]> {
      if (linkIds.length === 0) return []
      const rows = await database.read
        .selectFrom('accounts')
        .select(LINKED_ACCOUNT_COLUMNS)
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('deleted_at', 'is', null)
        .where('link_id', 'in', [...linkIds])
        // An expression, so that the database does not read all accounts in the order of an index.
        .orderBy(sql`created_at + 0`)
        .orderBy('account_id')
        .execute()
      return rows.map(toPublicAccount)
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
  const isSqlite = database.dialect === 'sqlite'
  const linkedResponse = isSqlite ? SQLITE_LINKED_RESPONSE : POSTGRES_LINKED_RESPONSE
  const joined = isSqlite ? sql`group_concat` : sql`string_agg`
  const join = (value: RawBuilder<unknown>) =>
    sql<string | null>`${joined}(${value}, ',' order by created_at, account_id)`
  return {
    json: database.prepare((db, param: Param<LinkParams>) =>
      db
        .selectFrom(
          select(selectLiveAccounts(db, param), param)
            .select(['created_at', 'account_id', 'response_json', 'response_schema'])
            .select(linkedResponse.as('json'))
            .as('linked'),
        )
        .select([
          sql<string>`'[' || coalesce(${join(sql`json`)}, '') || ']'`.as('json'),
          sql<string>`'[' || coalesce(${join(sql`response_json`)}, '') || ']'`.as('responses'),
          join(sql`account_id`).as('ids'),
          join(sql`cast(${VERIFIED_SCHEMA} as text)`).as('schemas'),
          sql<number>`count(*)`.as('count'),
          sql<number>`count(json)`.as('stored_count'),
        ]),
    ),
    rows: database.prepare((db, param: Param<LinkParams>) =>
      select(selectLiveAccounts(db, param), param)
        .select(LINKED_ACCOUNT_COLUMNS)
        .orderBy('created_at')
        .orderBy('account_id'),
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
  >`case when response_schema % ${sql.lit(SCHEMAS)} = ${sql.lit(RESPONSE_SCHEMA)} and ${position} > 0 then ${WITHOUT_CONFIG} end`
const SQLITE_LINKED_RESPONSE = linkedResponseIf(sql<number>`instr(response_json, ${CONFIG})`)
const POSTGRES_LINKED_RESPONSE = linkedResponseIf(sql<number>`strpos(response_json, ${CONFIG})`)
