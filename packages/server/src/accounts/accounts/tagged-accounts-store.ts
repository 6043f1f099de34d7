import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { joinAccounts } from './account-columns-store.ts'
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
  return joinAccounts(args[0], selectTagEntries(...args), 'tagged.tagged_id')
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
