import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** How long access tokens live where a provider says it only once, and headers that all nodes share. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer, bytes } = db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await db.schema.alterTable('accounts').addColumn('token_life_ms', integer).execute()
  await db.schema.alterTable('accounts').addColumn('sealed_headers', bytes).execute()
  // What nothing renews is to be told as ended when it has.
  await sql`update accounts set renew_at = token_expires_at
    where status = 'active' and status_reason = 'no_refresh_token' and oauth_app_id is not null and renew_at is null`.execute(
    db,
  )
}

interface Types {
  integer: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
}

const SQLITE: Types = { integer: sql`integer`, bytes: sql`blob` }
const POSTGRES: Types = { integer: sql`bigint`, bytes: sql`bytea` }
