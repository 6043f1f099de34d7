import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The limits of a token that are lower than those of the service, and what each node has counted of keys in much use. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = sql.raw(isPostgres ? 'text collate "C"' : 'text')
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  await sql`alter table tokens add column reads_per_minute ${integer}`.execute(db)
  await sql`alter table tokens add column writes_per_minute ${integer}`.execute(db)
  await sql`create table rate_usage (
    usage_key ${text} not null,
    minute ${integer} not null,
    node_id ${text} not null,
    count ${integer} not null,
    primary key (usage_key, minute, node_id)
  )`.execute(db)
  await sql`create index rate_usage_by_minute on rate_usage (minute)`.execute(db)
}
