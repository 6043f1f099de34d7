import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What an endpoint still has to queue of the events that it missed, and an index of what is queued. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  // Collation "C" orders text by its bytes, as SQLite does.
  const text = isPostgres ? sql`text collate "C"` : sql`text`
  await sql`alter table webhook_endpoints add column replay ${text}`.execute(db)
  await sql`create index webhook_endpoints_replaying on webhook_endpoints (endpoint_id)
    where replay is not null`.execute(db)
  await sql`create index deliveries_queued on deliveries (endpoint_id, sequence)
    where state = 'queued'`.execute(db)
}
