import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import { type AccountListFilter, isByUpdate, type PageParams } from './account-list-filter.ts'

/** The entries of a tag of the filter in the index of its order, with `tagged_at` and `tagged_id`. */
export function selectTagEntries(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
  tag: `tag${number}`,
) {
  const index = Number(tag.slice(3))
  const time = isByUpdate(filter) ? 'updated_at as tagged_at' : 'created_at as tagged_at'
  return db.selectFrom((eb) =>
    eb
      .selectFrom('account_tags')
      .select(['account_id as tagged_id', time])
      .where('workspace_id', '=', param('workspaceId'))
      .where('key', '=', param(`tagKey${index}`))
      .where('value', '=', param(`tagValue${index}`))
      .as('tagged'),
  )
}

/** The accounts of these entries. */
export function selectTaggedAccounts(
  ...args: Parameters<typeof selectTagEntries>
): SelectQueryBuilder<Tables, 'accounts', object> {
  // SQLite, which has no statistics, reads the tables of a cross join in this order.
  const found = selectTagEntries(...args)
    .crossJoin('accounts')
    .whereRef('accounts.account_id', '=', 'tagged.tagged_id')
  // The other columns are not selected by name, so the query is used as one of accounts.
  return found as unknown as SelectQueryBuilder<Tables, 'accounts', object>
}

/**
 * Whether the account with this id has a tag of the filter. A scalar subquery, which the database does not turn into a join.
 */
export function hasTag(
  param: Param<PageParams>,
  tag: `tag${number}`,
  accountId: 'tagged_id' | 'accounts.account_id',
) {
  const index = Number(tag.slice(3))
  return sql<boolean>`(
    select value from account_tags as other
    where other.account_id = ${sql.ref(accountId)} and key = ${param(`tagKey${index}`)}
  ) = ${param(`tagValue${index}`)}`
}
