import { type Expression, type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { isOwnedWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { COLUMNS, joinAccounts, withoutIndex } from './account-columns-store.ts'
import {
  type AccountListFilter,
  type Condition,
  getLifeFilter,
  isTag,
  listConditions,
  type PageParams,
} from './account-list-filter.ts'

/** Accounts of a condition that are few enough to read all of them for one page. */
export const FEW = 1_000

/** The conditions whose accounts an index finds, in any order. */
export function listFindable(filter: AccountListFilter): Condition[] {
  const conditions = listConditions(filter)
  if (getLifeFilter(filter) === 'live') return conditions
  return conditions.filter((each) => INDEXED_WHEN_DELETED.has(each))
}

const INDEXED_WHEN_DELETED: ReadonlySet<Condition> = new Set([
  'accountIdentifier',
  'linkId',
  'deleted',
])

/** How many accounts each condition finds, in the order of {@link listFindable}, separated by commas; more than FEW are FEW + 1 or more. */
export function prepareCounts(database: Database, filter: AccountListFilter) {
  return database.prepare((db, param: Param<PageParams>) => {
    const counts = listFindable(filter).map(
      (each) => sql`(select count(*) from ${find(param, filter, each, FEW + 1)} as counted)`,
    )
    return db.selectNoFrom(sql<string>`'' || ${sql.join(counts, sql` || ',' || `)}`.as('counts'))
  })
}

/**
 * The accounts of a condition that finds few of them, by their ids. The limit, which more accounts would have to pass between
 * two queries, tells PostgreSQL that they are few.
 */
export function selectFoundAccounts(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  condition: Condition,
): SelectQueryBuilder<Tables, 'accounts', object> {
  const found = db.selectFrom(find(param, filter, condition, 2 * FEW).as('found'))
  return joinAccounts(db, found, 'found.found_id')
}

function find(
  param: Param<PageParams>,
  filter: AccountListFilter,
  condition: Condition,
  limit: number,
): RawBuilder<{ found_id: string }> {
  const parts = listParts(param, filter, condition).map(
    (where) => sql`select * from (
      select account_id as found_id from ${where}
        and ${isOwnedWorkspace(param('userId'), param('workspaceId'))} limit ${sql.lit(limit)}
    ) as part`,
  )
  return sql`(${sql.join(parts, sql` union all `)})`
}

/** Tables and conditions that together find the accounts, and maybe some that the filter does not select. */
function listParts(
  param: Param<PageParams>,
  filter: AccountListFilter,
  condition: Condition,
): RawBuilder<unknown>[] {
  const workspaceId = param('workspaceId')
  if (isTag(condition)) {
    const index = Number(condition.slice(3))
    return [
      sql`account_tags where workspace_id = ${workspaceId}
        and key = ${param(`tagKey${index}`)} and value = ${param(`tagValue${index}`)}`,
    ]
  }
  const deleted = sql`accounts where workspace_id = ${workspaceId} and deleted_at is not null`
  if (condition === 'deleted') return [deleted]
  const equals = sql`${sql.ref(COLUMNS[condition])} = ${param(condition) as Expression<string>}`
  const live = sql`accounts where workspace_id = ${workspaceId} and deleted_at is null and ${equals}`
  const life = getLifeFilter(filter)
  if (life === 'live') return [live]
  // One index has the live and the deleted accounts of a link.
  if (condition === 'linkId')
    return [sql`accounts where ${withoutIndex('workspace_id')} = ${workspaceId} and ${equals}`]
  return life === 'deleted'
    ? [sql`${deleted} and ${equals}`]
    : [live, sql`${deleted} and ${equals}`]
}
