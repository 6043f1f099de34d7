import { type Kysely, sql } from 'kysely'

/**
 * An index for every filter and order of the lists: each reads only the rows that it returns, however many the
 * workspace has. Most are partial, so deleted, revoked and completed rows cost nothing. The indexes that
 * they replace are dropped: statements of the previous version use the new ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of CREATED) await sql.raw(`create index ${index}`).execute(db)
  for (const name of REPLACED) await db.schema.dropIndex(name).execute()
}

const CREATED = [
  `accounts_live_by_link on accounts (workspace_id, link_id, created_at, account_id)
    where deleted_at is null and link_id is not null`,
  `accounts_live_by_identifier on accounts (workspace_id, account_identifier, created_at, account_id)
    where deleted_at is null and account_identifier is not null`,
  `accounts_live_by_definition on accounts (workspace_id, definition_id, created_at, account_id)
    where deleted_at is null`,
  `accounts_live_by_status on accounts (workspace_id, status, created_at, account_id)
    where deleted_at is null`,
  `accounts_deleted on accounts (workspace_id, created_at, account_id)
    where deleted_at is not null`,
  `accounts_live_definition_workspace on accounts (definition_id, workspace_id)
    where deleted_at is null`,
  `accounts_awaiting_confirmation on accounts (confirm_until)
    where confirm_hash is not null and deleted_at is null`,
  `links_live on links (workspace_id, created_at, link_id) where revoked_at is null`,
  `tokens_live on tokens (user_id, created_at, token_id) where revoked_at is null`,
  `workspaces_live on workspaces (user_id, created_at, workspace_id) where deleted_at is null`,
  `definitions_live on definitions (workspace_id, created_at, definition_id)
    where deleted_at is null`,
  `oauth_attempts_open on oauth_attempts (definition_id, workspace_id, expires_at)
    where finished_at is null`,
  `accounts_live_by_oauth_app on accounts (oauth_app_id)
    where oauth_app_id is not null and deleted_at is null`,
  'oauth_apps_by_client_id on oauth_apps (client_id)',
  'oauth_apps_by_definition_id on oauth_apps (definition_id)',
  'users_by_created_at on users (created_at, user_id)',
  'audit_events_by_subject on audit_events (workspace_id, subject, at)',
]

const REPLACED = [
  'accounts_by_definition_id',
  'accounts_by_link_id',
  'definitions_by_workspace_id_created_at_definition_id',
  'links_by_workspace_id_created_at_link_id',
  'tokens_by_user_id',
]
