import type { Kysely } from 'kysely'
import type { Database } from '../storage/database.ts'
import type { Tables } from '../storage/tables.ts'
import { unwrapKey, wrapKey } from './data-keys.ts'
import type { KeyRing } from './key-ring.ts'

/** Options of a key rotation. */
export interface RotateOptions {
  /** Workspaces per transaction. Default 100. */
  batchSize?: number
  /** Called after each committed batch with the number of workspaces done so far. */
  onBatch?: (done: number) => void
}

/**
 * Rewraps every data key with the first key of the key ring, in batches. Encrypted secrets do not change and stay
 * readable throughout. An interrupted rotation continues where it stopped.
 *
 * @returns the number of workspaces it changed
 */
export async function rotateKeys(
  database: Database,
  keys: KeyRing,
  now: () => number,
  { batchSize = 100, onBatch }: RotateOptions = {},
): Promise<number> {
  for (let done = 0; ; ) {
    const count = await database.transaction((trx) => rotateBatch(trx, keys, now(), batchSize))
    if (count === 0) return done
    done += count
    onBatch?.(done)
  }
}

async function rotateBatch(
  trx: Kysely<Tables>,
  keys: KeyRing,
  now: number,
  batchSize: number,
): Promise<number> {
  const rows = await trx
    .selectFrom('workspace_keys')
    .selectAll()
    .where('key_id', '!=', keys[0].id)
    .orderBy('workspace_id')
    .limit(batchSize)
    .execute()
  for (const row of rows) {
    const wrapped = wrapKey(keys, row.workspace_id, unwrapKey(keys, row))
    await trx
      .updateTable('workspace_keys')
      .set({ ...wrapped, updated_at: now })
      .where('workspace_id', '=', row.workspace_id)
      .where('key_id', '=', row.key_id)
      .execute()
  }
  return rows.length
}
