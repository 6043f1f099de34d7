import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Jobs over many accounts. Nodes of 0001 go on: none of their tables changes. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const text = isPostgres ? 'text collate "C"' : 'text'
  const integer = isPostgres ? 'bigint' : 'integer'
  const bytes = isPostgres ? 'bytea' : 'blob'
  const statements = [
    `create table bulk_jobs (
      bulk_job_id ${text} not null primary key,
      workspace_id ${text} not null,
      action ${text} not null,
      alive_until ${integer},
      user_id ${text} not null,
      person_id ${text},
      token_id ${text} not null,
      via ${text},
      request_id ${text} not null,
      created_at ${integer} not null,
      finished_at ${integer}
    )`,
    'create index bulk_jobs_by_workspace on bulk_jobs (workspace_id, finished_at)',
    'create index bulk_jobs_by_lease on bulk_jobs (alive_until) where alive_until is not null',
    'create index bulk_jobs_by_end on bulk_jobs (finished_at) where finished_at is not null',
    `create table bulk_job_items (
      bulk_job_id ${text} not null,
      position ${integer} not null,
      workspace_id ${text} not null,
      account_id ${text} not null,
      definition_id ${text} not null,
      outcome ${text} not null,
      code ${text},
      sealed_url ${bytes},
      url_until ${integer},
      primary key (bulk_job_id, account_id)
    )`,
    'create index bulk_job_items_by_account on bulk_job_items (workspace_id, account_id)',
    'create index bulk_job_items_by_url on bulk_job_items (url_until) where url_until is not null',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
