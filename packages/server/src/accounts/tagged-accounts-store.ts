import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import { type AccountListFilter, isByUpdate, type PageParams } from './account-list-filter.ts'

/** The accounts that have the first tag of the filter, with `tagged_at` and `tagged_id` in the order of the index of tags. */
export function selectTaggedAccounts(
  db: Kysely<Tables>,
  param: Param<PageParams>,
  filter: AccountListFilter,
) {
  const time = isByUpdate(filter) ? 'updated_at as tagged_at' : 'created_at as tagged_at'
  const found = db
    .selectFrom((eb) =>
      eb
        .selectFrom('account_tags')
        .select(['account_id as tagged_id', time])
        .where('workspace_id', '=', param('workspaceId'))
        .where('key', '=', param('tagKey0'))
        .where('value', '=', param('tagValue0'))
        .as('tagged'),
    )
    // SQLite, which has no statistics, reads the tables of a cross join in this order.
    .crossJoin('accounts')
    .whereRef('accounts.account_id', '=', 'tagged.tagged_id')
  // The other columns are not selected by name, so the query is used as one of accounts.
  return found as unknown as SelectQueryBuilder<Tables, 'accounts', object>
}

/** Whether an account has a tag of the filter. A scalar subquery, which the database does not turn into a join. */
export function hasTag(param: Param<PageParams>, index: number) {
  return sql<boolean>`(
    select value from account_tags as other
    where other.account_id = accounts.account_id and key = ${param(`tagKey${index}`)}
  ) = ${param(`tagValue${index}`)}`
}
