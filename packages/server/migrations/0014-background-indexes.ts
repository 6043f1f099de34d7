import { type Kysely, sql } from 'kysely'

/**
 * Indexes for background work, OAuth revocation and the start: each statement reads only the rows that it returns. The
 * index that one of them replaces is dropped: statements of the previous version use the new one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of CREATED) await sql.raw(`create index ${index}`).execute(db)
  await db.schema.dropIndex('accounts_renew_at').execute()
}

const CREATED = [
  // Without deleted accounts, which keep the time of their refresh.
  `accounts_live_by_renew_at on accounts (renew_at)
    where renew_at is not null and deleted_at is null`,
  `accounts_live_by_grant on accounts (definition_id, identity_id)
    where deleted_at is null and (oauth_app_id is not null or status_reason = 'no_refresh_token')`,
  `tokens_live_from_environment on tokens (user_id)
    where origin = 'environment' and revoked_at is null`,
  `definitions_of_catalogue on definitions (definition_id)
    where workspace_id = 'wsp_00000000000000000000000000'`,
  'oauth_attempts_sealed on oauth_attempts (expires_at) where sealed is not null',
  `oauth_attempts_awaiting_confirmation on oauth_attempts (expires_at)
    where outcome = 'unconfirmed' and finished_at is null`,
]
