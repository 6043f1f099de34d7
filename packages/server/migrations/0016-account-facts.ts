import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What the provider said about a connection. Nodes of 0001 go on: their accounts have none. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await sql.raw("alter table accounts add column facts text not null default '{}'").execute(db)
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db)
}

/** What responses are made of: the columns of 0007, and the facts. */
const RESPONSE_COLUMNS = [
  ...['account_id', 'workspace_id', 'definition_id', 'link_id', 'name', 'auth_type'],
  ...['account_identifier', 'public_config', 'status', 'status_reason', 'tags', 'created_at'],
  ...['updated_at', 'deleted_at', 'status_since', 'identity_id', 'identity_label', 'facts'],
].join(', ')

const SQLITE = [
  'drop trigger accounts_clear_response',
  `create trigger accounts_clear_response after update of ${RESPONSE_COLUMNS} on accounts
    when old.response_json is not null and new.response_json is old.response_json
    begin
      update accounts set response_json = null, response_schema = null
        where account_id = new.account_id;
    end`,
]

const POSTGRES = [
  'drop trigger accounts_clear_response on accounts',
  `create trigger accounts_clear_response before update of ${RESPONSE_COLUMNS} on accounts
    for each row
    when (old.response_json is not null and new.response_json is not distinct from old.response_json)
    execute function clear_account_response()`,
]
