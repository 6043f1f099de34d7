import { type Kysely, sql } from 'kysely'

/** Orders the deliveries of an endpoint in one state by `round` too, as their list is: each page reads only its rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('deliveries_by_state').execute()
  await sql`create index deliveries_by_state on deliveries (endpoint_id, state, sequence, round)`.execute(
    db,
  )
}
