import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What customers granted, and what is missing. Nodes of 0001 go on: a trigger notes the accounts whose scopes they change. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    'alter table account_tokens add column scope_source text',
    `alter table account_tokens add column scopes_at ${integer}`,
    `create table account_scopes (
      workspace_id ${text} not null,
      account_id ${text} not null,
      scope ${text} not null,
      created_at ${integer} not null,
      is_missing ${integer} not null,
      needed_at ${integer},
      need_count ${integer} not null,
      operation text,
      notified_at ${integer},
      constraint account_scopes_key primary key (workspace_id, account_id, scope)
    )`,
    'create index account_scopes_by_scope on account_scopes (workspace_id, scope, created_at, account_id)',
    ...(isPostgres ? POSTGRES : SQLITE),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const SQLITE = [
  `create trigger account_tokens_clear_source
    after update of requested_scopes, granted_scopes on account_tokens
    when old.scope_source is not null and new.scopes_at is old.scopes_at
      and (new.requested_scopes is not old.requested_scopes
        or new.granted_scopes is not old.granted_scopes)
    begin
      update account_tokens set scope_source = null
        where workspace_id = new.workspace_id and account_id = new.account_id;
    end`,
]

const POSTGRES = [
  `create function clear_account_scope_source() returns trigger language plpgsql as $$
    begin new.scope_source := null; return new; end $$`,
  `create trigger account_tokens_clear_source
    before update of requested_scopes, granted_scopes on account_tokens
    for each row when (old.scope_source is not null
      and new.scopes_at is not distinct from old.scopes_at
      and (new.requested_scopes is distinct from old.requested_scopes
        or new.granted_scopes is distinct from old.granted_scopes))
    execute function clear_account_scope_source()`,
]
