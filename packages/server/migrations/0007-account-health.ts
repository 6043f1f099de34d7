import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What is known of the health of accounts. Nodes of 0001 go on: a trigger notes the time when they change a status. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const time = isPostgres ? 'bigint' : 'integer'
  for (const column of ['last_ok_at', 'checked_at', 'status_since'])
    await sql.raw(`alter table accounts add column ${column} ${time}`).execute(db)
  for (const column of ['requested_scopes text', 'granted_scopes text', `refreshed_at ${time}`])
    await sql.raw(`alter table account_tokens add column ${column}`).execute(db)
  for (const statement of [FILL, ...(isPostgres ? POSTGRES : SQLITE)])
    await sql.raw(statement).execute(db)
}

/** Close to it: what fails is rarely updated again. Most accounts are active, and have been since they were created. */
const FILL = `update accounts set status_since = updated_at where status <> 'active' and deleted_at is null`

const SQLITE = [
  `create trigger accounts_note_status_since after update of status on accounts
    when new.status <> old.status and new.status_since is old.status_since
    begin update accounts set status_since = new.updated_at where account_id = new.account_id; end`,
]

const POSTGRES = [
  `create function note_account_status_since() returns trigger language plpgsql as $$
    begin new.status_since := new.updated_at; return new; end $$`,
  `create trigger accounts_note_status_since before update of status on accounts
    for each row when (new.status <> old.status
      and new.status_since is not distinct from old.status_since)
    execute function note_account_status_since()`,
]
