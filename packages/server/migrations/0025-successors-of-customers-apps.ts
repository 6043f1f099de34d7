import { type Kysely, sql } from 'kysely'

/**
 * A customer has one app of its own for a definition without a successor, and any number with one. Nodes of 0001 go on: of two
 * apps they take any.
 */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Within the transaction, as in 0021: the table is small, and two apps must not come in between.
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'drop index oauth_apps_of_customers',
  'create unique index oauth_apps_of_customers on oauth_apps (workspace_id, account_identifier, definition_id) where account_identifier is not null and successor_id is null',
  'create index oauth_apps_by_customer on oauth_apps (workspace_id, account_identifier, definition_id) where account_identifier is not null',
]
