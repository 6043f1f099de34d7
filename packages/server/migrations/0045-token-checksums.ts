import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * The function that removes the checksum of a row, for 0046. Checksums of tokens are in 0047, in a table of their own: nodes of the
 * previous version read all columns of a token by a prepared statement, which a new column ends.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`create function clear_row_checksum() returns trigger language plpgsql as $$
    begin
      new.row_checksum := null;
      return new;
    end $$`.execute(db)
}

export const minReader = '0044-data-key-numbers'
