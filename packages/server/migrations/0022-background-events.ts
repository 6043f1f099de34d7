import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * Marks what background work has published, so that each event is published once: that a link expired, that a token is
 * about to expire, that a definition has a newer version than the workspace runs, and that an OAuth app fails. What happened before
 * this migration counts as published. `connect_failures` limits how often failed attempts are published.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  await sql`alter table links add column expiry_recorded ${integer} not null default 0`.execute(db)
  await sql`alter table tokens add column expiry_recorded ${integer} not null default 0`.execute(db)
  await sql`alter table definition_pins add column update_due ${integer} not null default 0`.execute(
    db,
  )
  await sql`alter table oauth_apps add column failing_since ${integer}`.execute(db)
  await sql`create table connect_failures (
    failure_key ${text} not null primary key,
    at ${integer} not null
  )`.execute(db)
  const now = Date.now()
  await sql`update links set expiry_recorded = 1 where expires_at <= ${now}`.execute(db)
  await sql`update tokens set expiry_recorded = 1
    where expires_at <= ${now} or expires_at - created_at <= ${WEEK_MS}`.execute(db)
  for (const index of INDEXES) await sql.raw(`create index ${index}`).execute(db)
}

const WEEK_MS = 7 * 24 * 60 * 60_000

const INDEXES = [
  `links_with_unrecorded_expiry on links (expires_at)
    where expiry_recorded = 0 and expires_at is not null and revoked_at is null`,
  `tokens_with_unrecorded_expiry on tokens (expires_at)
    where expiry_recorded = 0 and expires_at is not null and revoked_at is null`,
  `definition_pins_with_update on definition_pins (definition_id, workspace_id)
    where update_due = 1`,
  'connect_failures_by_time on connect_failures (at)',
]
