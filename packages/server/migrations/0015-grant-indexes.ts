import { type Kysely, sql } from 'kysely'

/**
 * Indexes for the accounts that may share a grant: each search is limited to a workspace or an OAuth app, so that rows
 * of other tenants cannot slow it down. The indexes over all tenants are dropped, because PostgreSQL would prefer them. A
 * node of the previous version on the same PostgreSQL database reads all accounts when an OAuth account is deleted, until
 * it is upgraded.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of CREATED) await sql.raw(`create index ${index}`).execute(db)
  for (const name of REPLACED) await db.schema.dropIndex(name).execute()
}

const CREATED = [
  `accounts_live_by_identity on accounts (workspace_id, identity_id)
    where deleted_at is null and identity_id is not null`,
  `accounts_live_by_app_identity on accounts (oauth_app_id, identity_id)
    where deleted_at is null and oauth_app_id is not null and identity_id is not null`,
  `accounts_live_by_app_identifier on accounts (oauth_app_id, account_identifier)
    where deleted_at is null and oauth_app_id is not null and account_identifier is not null`,
]

const REPLACED = ['accounts_live_identity_id', 'accounts_live_account_identifier']
