import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * The audit trail can be read and verified: who, how and from where, and a hash chain per workspace. All columns are null
 * until the entry is chained, after its commit, apart from those that only the writer knows. Entries of earlier versions are
 * chained, too. The chain of entries that belong to no workspace has an empty workspace_id.
 *
 * Owner tokens have every scope, so they get the new one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  for (const column of TEXT_COLUMNS)
    await sql`alter table audit_events add column ${sql.ref(column)} ${text}`.execute(db)
  await sql`alter table audit_events add column sequence ${integer}`.execute(db)
  await sql`create table audit_chains (
    workspace_id ${text} not null primary key,
    last ${integer} not null,
    last_hash ${text} not null,
    oldest ${integer} not null,
    base_hash ${text} not null,
    checkpoint_sequence ${integer} not null,
    checkpoint_at ${integer} not null
  )`.execute(db)
  for (const index of INDEXES) await sql.raw(`create ${index}`).execute(db)
  await sql`update tokens set scopes = scopes || ' audit:read'
    where origin in ('owner', 'environment')
      and ' ' || scopes || ' ' like '% admin %'
      and ' ' || scopes || ' ' not like '% audit:read %'`.execute(db)
}

const TEXT_COLUMNS = [
  ...['actor_kind', 'via', 'ip', 'outcome', 'subject_type', 'hash'],
  ...['ip_salt', 'ip_digest', 'detail_salt', 'detail_digest'],
]

const INDEXES = [
  `unique index audit_events_by_sequence on audit_events (workspace_id, sequence)
    where sequence is not null`,
  `index audit_events_by_subject_sequence on audit_events (workspace_id, subject, sequence)
    where sequence is not null`,
  `index audit_events_by_actor on audit_events (workspace_id, user_id, sequence)
    where sequence is not null`,
  `index audit_events_unchained on audit_events (workspace_id, at, event_id)
    where sequence is null`,
  `index audit_chains_awaiting_checkpoint on audit_chains (checkpoint_at)
    where last > checkpoint_sequence`,
]

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint` }
