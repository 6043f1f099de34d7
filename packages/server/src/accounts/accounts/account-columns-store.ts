import { type Kysely, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../platform/storage/tables.ts'

/** The columns of the conditions of a list of accounts. */
export const COLUMNS = {
  accountIdentifier: 'account_identifier',
  status: 'status',
  linkId: 'link_id',
  definitionId: 'definition_id',
} as const

/** The column as an expression that no index covers, so that the database uses the index of another condition. */
export function withoutIndex(
  column: 'workspace_id' | (typeof COLUMNS)[keyof typeof COLUMNS],
): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} || '')`
}

/** The accounts with these ids, looked up one by one: the entries of an index that they come from are read first. */
export function joinAccounts<DB, TB extends keyof DB, O>(
  db: Kysely<Tables>,
  entries: SelectQueryBuilder<DB, TB, O>,
  id: 'tagged.tagged_id' | 'found.found_id',
): SelectQueryBuilder<Tables, 'accounts', object> {
  // PostgreSQL takes the conditions on accounts for selective, and would read all accounts first; with a limit it cannot.
  const accounts =
    db.getExecutor().adapter instanceof PostgresAdapter
      ? sql`lateral (select * from accounts where account_id = ${sql.ref(id)} limit 1)`
      : sql`accounts`
  // SQLite, which has no statistics, reads the tables of a cross join in this order. The columns of the entries are not selected
  // by name, so the query is used as one of accounts.
  const query = entries as unknown as SelectQueryBuilder<Tables, 'accounts', object>
  return query
    .crossJoin(accounts.as('accounts'))
    .where(sql<boolean>`accounts.account_id = ${sql.ref(id)}`) as unknown as typeof query
}
