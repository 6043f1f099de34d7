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

/** What responses are made of: the columns of 0001, the time of the status, and the user. */
const RESPONSE_COLUMNS = [
  ...['account_id', 'workspace_id', 'definition_id', 'link_id', 'name', 'auth_type'],
  ...['account_identifier', 'public_config', 'status', 'status_reason', 'tags', 'created_at'],
  ...['updated_at', 'deleted_at', 'status_since', 'identity_id', 'identity_label'],
].join(', ')

const SQLITE = [
  'drop trigger accounts_clear_response',
  `create trigger accounts_clear_response after update of ${RESPONSE_COLUMNS} on accounts
    when old.response_json is not null and new.response_json is old.response_json
    begin
      update accounts set response_json = null, response_schema = null
        where account_id = new.account_id;
    end`,
  'drop trigger accounts_clear_search',
  `create trigger accounts_clear_search
    after update of name, account_identifier, identity_label on accounts
    when old.search_text is not null and new.search_text is old.search_text
      and (new.name is not old.name or new.account_identifier is not old.account_identifier
        or new.identity_label is not old.identity_label)
    begin update accounts set search_text = null where account_id = new.account_id; end`,
  `create trigger accounts_note_status_since after update of status on accounts
    when new.status <> old.status and new.status_since is old.status_since
    begin update accounts set status_since = new.updated_at where account_id = new.account_id; end`,
]

const POSTGRES = [
  'drop trigger accounts_clear_response on accounts',
  `create trigger accounts_clear_response before update of ${RESPONSE_COLUMNS} on accounts
    for each row
    when (old.response_json is not null and new.response_json is not distinct from old.response_json)
    execute function clear_account_response()`,
  'drop trigger accounts_clear_search on accounts',
  `create trigger accounts_clear_search
    before update of name, account_identifier, identity_label on accounts
    for each row when (old.search_text is not null
      and new.search_text is not distinct from old.search_text
      and (new.name is distinct from old.name
        or new.account_identifier is distinct from old.account_identifier
        or new.identity_label is distinct from old.identity_label))
    execute function clear_account_search()`,
  `create function note_account_status_since() returns trigger language plpgsql as $$
    begin new.status_since := new.updated_at; return new; end $$`,
  `create trigger accounts_note_status_since before update of status on accounts
    for each row when (new.status <> old.status
      and new.status_since is not distinct from old.status_since)
    execute function note_account_status_since()`,
]
