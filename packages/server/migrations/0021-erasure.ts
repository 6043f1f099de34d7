import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * Erasures of customers, deletions of workspaces, and the indexes by which erasure and retention find rows in small
 * batches.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } =
    db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await sql`create table erasures (
    erasure_id ${text} not null primary key,
    workspace_id ${text} not null,
    identifier_hash ${bytes} not null,
    sealed_identifier ${bytes},
    counts ${text} not null,
    alive_until ${integer},
    created_at ${integer} not null,
    finished_at ${integer}
  )`.execute(db)
  await sql`create table workspace_deletions (
    workspace_id ${text} not null primary key,
    alive_until ${integer} not null,
    created_at ${integer} not null
  )`.execute(db)
  for (const index of INDEXES) await sql.raw(`create ${index}`).execute(db)
}

const INDEXES = [
  'unique index erasures_by_identifier on erasures (workspace_id, identifier_hash)',
  'index erasures_running on erasures (alive_until) where alive_until is not null',
  'index workspace_deletions_by_alive_until on workspace_deletions (alive_until)',
  `index accounts_deleted_by_identifier
    on accounts (workspace_id, account_identifier, account_id)
    where deleted_at is not null and account_identifier is not null`,
  'index accounts_by_deleted_at on accounts (deleted_at) where deleted_at is not null',
  'index accounts_by_link on accounts (link_id) where link_id is not null',
  'index oauth_attempts_by_workspace on oauth_attempts (workspace_id, attempt_id)',
  'index oauth_attempts_by_account on oauth_attempts (account_id) where account_id is not null',
  'index visit_attempts_by_workspace on visit_attempts (workspace_id, attempt_id)',
  'index visit_attempts_by_account on visit_attempts (account_id)',
  'index visit_attempts_by_link on visit_attempts (link_id)',
  'index links_by_workspace on links (workspace_id, link_id)',
  'index links_revoked on links (revoked_at) where revoked_at is not null',
  `index links_expiring on links (expires_at)
    where expires_at is not null and revoked_at is null`,
  `index tokens_by_workspace on tokens (workspace_id, token_id)
    where workspace_id is not null`,
  'index tokens_revoked on tokens (revoked_at) where revoked_at is not null',
  `index tokens_expiring on tokens (expires_at)
    where expires_at is not null and revoked_at is null`,
  'index previews_by_workspace on previews (workspace_id, definition_id, preview_id)',
  'index previews_by_bundle on previews (bundle_sha256)',
  'index definition_pins_by_workspace on definition_pins (workspace_id, definition_id)',
  'index definition_pins_by_bundle on definition_pins (bundle_sha256)',
  'index kept_versions_by_workspace on kept_versions (workspace_id, definition_id, position)',
  'index kept_versions_by_bundle on kept_versions (bundle_sha256)',
  'index catalogue_versions_by_bundle on catalogue_versions (bundle_sha256)',
  'index webhook_endpoints_of_workspace on webhook_endpoints (workspace_id)',
  'index bundles_by_created_at on bundles (created_at, sha256)',
]

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer`, bytes: sql`blob` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = {
  text: sql`text collate "C"`,
  integer: sql`bigint`,
  bytes: sql`bytea`,
}
