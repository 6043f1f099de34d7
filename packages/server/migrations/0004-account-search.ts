import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * The text in which lists of accounts search. `stored-response-store.ts` writes it beside the requests, so that a start does not
 * wait for a million accounts. Nodes of 0001 go on: a trigger clears the text when they change what it is made of.
 */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const type = isPostgres ? 'text collate "C"' : 'text'
  await sql.raw(`alter table accounts add column search_text ${type}`).execute(db)
  for (const statement of [INDEX, ...(isPostgres ? POSTGRES : SQLITE)])
    await sql.raw(statement).execute(db)
}

// With deleted_at, which is null everywhere, SQLite knows that it needs no row.
const INDEX = `create index accounts_live_search
  on accounts (workspace_id, created_at, account_id, search_text, deleted_at) where deleted_at is null`

const SQLITE = [
  `create trigger accounts_clear_search after update of name, account_identifier on accounts
    when old.search_text is not null and new.search_text is old.search_text
      and (new.name is not old.name or new.account_identifier is not old.account_identifier)
    begin update accounts set search_text = null where account_id = new.account_id; end`,
]

const POSTGRES = [
  `create function clear_account_search() returns trigger language plpgsql as $$
    begin new.search_text := null; return new; end $$`,
  `create trigger accounts_clear_search before update of name, account_identifier on accounts
    for each row when (old.search_text is not null
      and new.search_text is not distinct from old.search_text
      and (new.name is distinct from old.name
        or new.account_identifier is distinct from old.account_identifier))
    execute function clear_account_search()`,
]
