import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * A number that changes with each change of a definition, a pin, an icon or an OAuth app: what was made of them is valid while it
 * stays the same. Nodes of 0001 go on: triggers count their changes, too.
 */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const statements = [
    `create table definition_epochs (
      epoch_id text primary key,
      number ${isPostgres ? 'bigint' : 'integer'} not null
    )`,
    ...(isPostgres ? createPostgresTriggers() : createSqliteTriggers()),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const TABLES = ['definitions', 'definition_pins', 'definition_icons', 'oauth_apps']
const INCREMENT = `insert into definition_epochs (epoch_id, number) values ('definitions', 1)
  on conflict (epoch_id) do update set number = definition_epochs.number + 1`

function createSqliteTriggers(): string[] {
  return TABLES.flatMap((table) =>
    ['insert', 'update', 'delete'].map(
      (change) =>
        `create trigger ${table}_count_${change} after ${change} on ${table} begin ${INCREMENT}; end`,
    ),
  )
}

function createPostgresTriggers(): string[] {
  return [
    `create function count_definition_change() returns trigger language plpgsql as $$
      begin ${INCREMENT}; return null; end $$`,
    ...TABLES.map(
      (table) =>
        `create trigger ${table}_count_change after insert or update or delete or truncate on ${table}
          for each statement execute function count_definition_change()`,
    ),
  ]
}
