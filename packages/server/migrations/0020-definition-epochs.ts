import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What changes with the definitions of a workspace. Nodes of 0001 go on: triggers change it when they write, too. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  // As in the tables that are joined with it: an index with another collation would not be used.
  const id = isPostgres(db) ? 'text collate "C"' : 'text'
  await sql
    .raw(`create table definition_epochs (workspace_id ${id} primary key, epoch text not null)`)
    .execute(db)
  if (isPostgres(db)) await sql.raw(FUNCTION).execute(db)
  await createEpochTriggers(db, 'definitions')
}

/** Gives a workspace another epoch in each transaction that changes one of its rows of `table`. */
export async function createEpochTriggers(db: Kysely<unknown>, table: string): Promise<void> {
  const statements = isPostgres(db)
    ? [
        // At the end of the transaction, so that no lock is taken after that of the epoch: no deadlocks.
        `create constraint trigger ${table}_change_epoch after insert or update or delete on ${table}
          deferrable initially deferred for each row execute function change_definition_epoch()`,
      ]
    : (['insert', 'update', 'delete'] as const).map(
        (event) => `create trigger ${table}_change_epoch_on_${event} after ${event} on ${table}
          begin
            insert into definition_epochs values
              (${event === 'delete' ? 'old' : 'new'}.workspace_id, hex(randomblob(16)))
              on conflict (workspace_id) do update set epoch = excluded.epoch;
          end`,
      )
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const isPostgres = (db: Kysely<unknown>) => db.getExecutor().adapter instanceof PostgresAdapter

/** Random, because a server that takes over may count again what the one before has lost. Once in a transaction. */
const FUNCTION = `create function change_definition_epoch() returns trigger language plpgsql as $$ begin
  insert into definition_epochs values (coalesce(new.workspace_id, old.workspace_id), gen_random_uuid()::text)
    on conflict (workspace_id) do update set epoch = excluded.epoch
    where definition_epochs.xmin <> pg_current_xact_id()::xid;
  return null;
end $$`
