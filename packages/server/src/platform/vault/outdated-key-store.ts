import { sql } from 'kysely'
import type { Database } from '../storage/database.ts'

/** How many data keys a rotation has left; `MAX_OUTDATED` stands for any larger number. */
export interface OutdatedDataKeys {
  /** Wrapped by another key than the first of the key ring: `keys rotate` has not ended. */
  readonly otherKey: number
  /** Being replaced, while values are sealed again: `keys rekey` has not ended. */
  readonly beingReplaced: number
}

/** Returns a function that counts them. It reads `MAX_OUTDATED` entries of each index at most. */
export function createOutdatedKeyReader(
  database: Database,
  /** The first key of the key ring. */
  keyId: string,
): () => Promise<OutdatedDataKeys> {
  // Two ranges of the index: for an inequality, it would be read from its beginning.
  const range = (operator: '<' | '>') => sql`(select count(*) from (select 1 from workspace_keys
    where key_id ${sql.raw(operator)} ${keyId} limit ${sql.lit(MAX_OUTDATED)}) as ranged)`
  return async () => {
    const { rows } = await sql<{ other: number; replaced: number }>`
      select ${range('<')} + ${range('>')} as other,
        (select count(*) from (select 1 from workspace_keys
          where previous_key_id is not null limit ${sql.lit(MAX_OUTDATED)}) as unfinished) as replaced`.execute(
      database.read,
    )
    const [row] = rows
    return {
      otherKey: Math.min(MAX_OUTDATED, Number(row?.other ?? 0)),
      beingReplaced: Number(row?.replaced ?? 0),
    }
  }
}

/** The largest number that is counted. */
export const MAX_OUTDATED = 1_000
