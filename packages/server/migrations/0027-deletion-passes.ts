import type { Kysely } from 'kysely'

/** When the data of a deleted workspace was erased for the first time: what requests in flight stored later is erased again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('workspace_deletions').addColumn('finished_at', 'bigint').execute()
}
