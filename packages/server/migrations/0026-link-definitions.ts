import { type Kysely, sql } from 'kysely'

/** A link may allow several definitions. `definition_id` remains for links and nodes of earlier versions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table links add column definition_ids text not null default '[]'`.execute(db)
}
