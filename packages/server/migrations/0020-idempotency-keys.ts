import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * Idempotency keys of requests. `claim_owner` is the request that runs, or ran, with the key; `resource`, `status` and
 * `sealed_response` are those of its effect, stored in its transaction.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const { text, integer, bytes } = isPostgres ? POSTGRES : SQLITE
  await sql`create table idempotency_keys (
    user_id ${text} not null,
    bound_workspace_id ${text} not null,
    key_hash ${bytes} not null,
    operation ${text} not null,
    fingerprint ${bytes} not null,
    scopes ${text} not null,
    state ${text} not null,
    claim_owner ${text} not null,
    claim_until ${integer} not null,
    expires_at ${integer} not null,
    workspace_id ${text},
    resource ${text},
    status ${integer},
    response_bytes ${integer} not null,
    sealed_response ${bytes},
    primary key (user_id, bound_workspace_id, key_hash)
  )`.execute(db)
  await sql`create index idempotency_keys_by_expiry on idempotency_keys (expires_at)`.execute(db)
  for (const statement of isPostgres ? POSTGRES_STATEMENTS : SQLITE_STATEMENTS)
    await sql.raw(statement).execute(db)
}

// What the lists of one user's keys need is in the index.
const SQLITE_STATEMENTS = [
  `create index idempotency_keys_by_user
    on idempotency_keys (user_id, expires_at, state, response_bytes, resource)`,
]

// Storing the effect changes no indexed column and usually finds room on the page of the row, so no index changes:
// serializable transactions of other requests, which have read the same page of an index, do not conflict with it.
const POSTGRES_STATEMENTS = [
  'create index idempotency_keys_by_user on idempotency_keys (user_id, expires_at)',
  'alter table idempotency_keys set (fillfactor = 25)',
  'alter table idempotency_keys alter column sealed_response set storage external',
]

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer`, bytes: sql`blob` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` }
