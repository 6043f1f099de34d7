import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * What changes with the use and the checks of accounts. Nodes of 0001 go on: what they note of successes stays in `accounts`, so
 * that their accounts are checked once more; a background job adds rows for accounts that they insert.
 */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  // As in the tables that are joined with it: an index with another collation would not be used.
  const id = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const statements = [
    `create table account_health (
      account_id ${id} not null primary key,
      workspace_id ${id} not null,
      definition_id ${id} not null,
      last_ok_at ${integer},
      checked_at ${integer},
      check_at ${integer},
      failures ${integer} not null default 0,
      rejections ${integer} not null default 0,
      rejected_at ${integer},
      is_held ${integer} not null default 0,
      identity_at ${integer},
      identity_source ${id}
    )`,
    'create index account_health_due on account_health (definition_id, workspace_id, check_at) where check_at is not null',
    'create index account_health_unscheduled on account_health (account_id) where check_at is null',
    'create index account_health_by_success on account_health (workspace_id, last_ok_at)',
    'create index account_health_successes on account_health (definition_id, workspace_id, last_ok_at)',
    'create index account_health_successes_anywhere on account_health (definition_id, last_ok_at)',
    'create index account_health_rejections on account_health (definition_id, workspace_id, rejected_at) where rejected_at is not null',
    'create index account_health_rejections_anywhere on account_health (definition_id, rejected_at) where rejected_at is not null',
    'create index account_health_held on account_health (definition_id, workspace_id, account_id) where is_held = 1',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
