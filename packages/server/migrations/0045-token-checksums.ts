import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * A checksum of what never changes in a token, by which a changed bit is found. A statement of a writer that does not know
 * it removes it: nothing then verifies the row, and nothing refuses it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const integer = isPostgres ? sql`bigint` : sql`integer`
  await sql`alter table tokens add column row_checksum ${integer}`.execute(db)
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db)
}

export const minReader = '0044-data-key-numbers'

const COLUMNS = [
  ...['token_id', 'token_hash', 'user_id', 'workspace_id', 'parent_token_id', 'scopes', 'origin'],
  ...['created_at', 'expires_at', 'reads_per_minute', 'writes_per_minute', 'account_ids'],
].join(', ')

const SQLITE = [
  `create trigger tokens_clear_checksum after update of ${COLUMNS} on tokens
    when old.row_checksum is not null and new.row_checksum is old.row_checksum
    begin
      update tokens set row_checksum = null where token_id = new.token_id;
    end`,
]

const POSTGRES = [
  `create function clear_row_checksum() returns trigger language plpgsql as $$
    begin
      new.row_checksum := null;
      return new;
    end $$`,
  `create trigger tokens_clear_checksum before update of ${COLUMNS} on tokens
    for each row
    when (old.row_checksum is not null and new.row_checksum is not distinct from old.row_checksum)
    execute function clear_row_checksum()`,
]
