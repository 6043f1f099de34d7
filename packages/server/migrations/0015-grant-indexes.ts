import { type Kysely, sql } from 'kysely'

/**
 * Indexes for the accounts that may share a grant: each search is limited to a workspace or an OAuth app, so that rows
 * of other tenants cannot slow it down. The indexes over all tenants stay for statements of the previous version.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of CREATED) await sql.raw(`create index ${index}`).execute(db)
}

const CREATED = [
  `accounts_live_by_identity on accounts (workspace_id, identity_id)
    where deleted_at is null and identity_id is not null`,
  `accounts_live_by_app_identity on accounts (oauth_app_id, identity_id)
    where deleted_at is null and oauth_app_id is not null and identity_id is not null`,
  `accounts_live_by_app_identifier on accounts (oauth_app_id, account_identifier)
    where deleted_at is null and oauth_app_id is not null and account_identifier is not null`,
]
