import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * Webhook endpoints, the deliveries of events to them, and the attempts that failed. Owner tokens, and the first token of
 * each user, get the scope of their operations.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } =
    db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await sql`create table webhook_endpoints (
    endpoint_id ${text} not null primary key,
    workspace_id ${text} not null,
    url ${text} not null,
    description ${text} not null,
    types ${text},
    integration_definition_ids ${text},
    payload ${text} not null,
    version ${integer} not null,
    ordering ${text} not null,
    signature ${text} not null,
    max_in_flight ${integer} not null,
    sealed_secrets ${bytes} not null,
    sealed_headers ${bytes},
    header_names ${text} not null,
    public_keys ${text} not null,
    state ${text} not null,
    state_reason ${text},
    failing_since ${integer},
    failures_in_row ${integer} not null,
    probes ${integer} not null,
    retry_at ${integer},
    last_success_at ${integer},
    last_sequence ${integer} not null,
    pending ${integer} not null,
    queued ${integer} not null,
    due_at ${integer},
    lease_owner ${text},
    lease_until ${integer},
    created_at ${integer} not null,
    updated_at ${integer} not null,
    deleted_at ${integer}
  )`.execute(db)
  await sql`create table deliveries (
    endpoint_id ${text} not null,
    sequence ${integer} not null,
    round ${integer} not null,
    workspace_id ${text} not null,
    event_id ${text} not null,
    type ${text} not null,
    subject ${text} not null,
    state ${text} not null,
    attempts ${integer} not null,
    created_at ${integer} not null,
    due_at ${integer} not null,
    last_status ${integer},
    last_ms ${integer},
    last_at ${integer},
    primary key (endpoint_id, sequence, round)
  )`.execute(db)
  await sql`create table delivery_failures (
    endpoint_id ${text} not null,
    sequence ${integer} not null,
    round ${integer} not null,
    attempt ${integer} not null,
    at ${integer} not null,
    ms ${integer} not null,
    status ${integer},
    code ${text} not null,
    response ${text} not null,
    node ${text} not null,
    primary key (endpoint_id, sequence, round, attempt)
  )`.execute(db)
  for (const index of INDEXES) await sql.raw(`create ${index}`).execute(db)
  await sql`update tokens set scopes = scopes || ${sql.lit(' webhooks')}
    where origin in ('owner', 'environment', 'user')`.execute(db)
}

const INDEXES = [
  `index webhook_endpoints_by_workspace on webhook_endpoints (workspace_id, endpoint_id)
    where deleted_at is null`,
  'index webhook_endpoints_due on webhook_endpoints (due_at) where due_at is not null',
  'index webhook_endpoints_queued on webhook_endpoints (endpoint_id) where queued > 0',
  `index webhook_endpoints_deleted on webhook_endpoints (deleted_at)
    where deleted_at is not null`,
  `index deliveries_pending on deliveries (endpoint_id, due_at, sequence)
    where state = 'pending'`,
  `index deliveries_pending_by_subject on deliveries (endpoint_id, subject, attempts)
    where state = 'pending'`,
  `index deliveries_held_by_subject on deliveries (endpoint_id, subject, sequence)
    where state = 'held'`,
  'index deliveries_by_event on deliveries (endpoint_id, event_id)',
  `index deliveries_by_state on deliveries (endpoint_id, state, sequence)`,
  "index deliveries_delivered on deliveries (last_at) where state = 'delivered'",
  "index deliveries_failed on deliveries (last_at) where state = 'failed'",
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
