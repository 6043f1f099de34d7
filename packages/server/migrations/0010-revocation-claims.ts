import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** Until when a deletion revokes the tokens of an account, and indexes by which siblings of an account are found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const integer: RawBuilder<unknown> =
    db.getExecutor().adapter instanceof PostgresAdapter ? sql`bigint` : sql`integer`
  await db.schema.alterTable('accounts').addColumn('revoking_until', integer).execute()
  await sql`create index accounts_live_identity_id on accounts (identity_id)
    where identity_id is not null and deleted_at is null`.execute(db)
  await sql`create index accounts_live_account_identifier on accounts (account_identifier)
    where account_identifier is not null and deleted_at is null`.execute(db)
}
