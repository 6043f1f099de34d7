import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** The log of requests. Nodes of 0001 go on: none of their tables changes. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    // Without foreign keys: what a node has collected when a workspace is deleted must not fail the others' rows.
    `create table request_log (
      request_log_id ${text} not null primary key,
      at ${integer} not null,
      workspace_id ${text} not null,
      kind ${text} not null,
      operation ${text},
      method ${text} not null,
      host ${text},
      path ${text},
      status ${integer},
      status_class ${integer} not null,
      failed ${integer} not null,
      code ${text},
      duration_ms ${integer} not null,
      request_id ${text},
      account_id ${text},
      definition_id ${text},
      token_id ${text},
      user_id ${text},
      via ${text},
      represents ${integer} not null
    )`,
    'create index request_log_by_workspace on request_log (workspace_id, at, request_log_id)',
    'create index request_log_by_kind on request_log (workspace_id, kind, at, request_log_id)',
    'create index request_log_by_outcome on request_log (workspace_id, failed, at, request_log_id)',
    'create index request_log_by_kind_outcome on request_log (workspace_id, kind, failed, at, request_log_id)',
    'create index request_log_by_request on request_log (workspace_id, request_id, at, request_log_id)',
    'create index request_log_by_account on request_log (workspace_id, account_id, at, request_log_id) where account_id is not null',
    'create index request_log_by_definition on request_log (workspace_id, definition_id, at, request_log_id) where definition_id is not null',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
