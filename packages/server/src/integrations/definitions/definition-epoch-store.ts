import { sql } from 'kysely'
import type { Database, MaybePromise, Param } from '../../platform/storage/database.ts'

/**
 * A number that changes with each commit that changes a definition, a pin, an icon or an OAuth app, by any node: what was made of
 * them at one epoch is valid while it lasts. Read it before them or in the same statement, never after.
 */
export const DEFINITION_EPOCH = sql<number>`coalesce((select number from definition_epochs
  where epoch_id = 'definitions'), 0)`

/** Creates a function that reads the epoch: on PostgreSQL, one statement for all requests that arrive together. */
export function createReadDefinitionEpoch(database: Database): () => MaybePromise<number> {
  const prepared = database.prepare(
    (db, param: Param<{ id: 'definitions' }>) =>
      db.selectFrom('definition_epochs').select('number').where('epoch_id', '=', param('id')),
    { id: 'text' },
  )
  return () => {
    const row = prepared.firstDirect({ id: 'definitions' })
    return row instanceof Promise ? row.then((found) => found?.number ?? 0) : (row?.number ?? 0)
  }
}
