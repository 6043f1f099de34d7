import type { Kysely } from 'kysely'
import type { Database } from '../../storage/database.ts'
import type { RotationRow, Tables } from '../../storage/tables.ts'

/** Tokens that integrations obtained in exchange for given ones, until an account stores them. */
export function createRotationStore(database: Database) {
  return {
    async find(
      workspaceId: string,
      rotationIds: readonly string[],
      now: number,
    ): Promise<RotationRow[]> {
      if (rotationIds.length === 0) return []
      return database.read
        .selectFrom('rotations')
        .selectAll()
        .where('rotation_id', 'in', rotationIds)
        .where('workspace_id', '=', workspaceId)
        .where('expires_at', '>', now)
        .execute()
    },

    /** Replaces an existing row with the same id. */
    async store(trx: Kysely<Tables>, row: RotationRow): Promise<void> {
      const { sealed, expires_at } = row
      await trx
        .insertInto('rotations')
        .values(row)
        .onConflict((oc) => oc.column('rotation_id').doUpdateSet({ sealed, expires_at }))
        .execute()
    },

    /** Call it in the transaction that stores the tokens with an account. */
    async delete(
      trx: Kysely<Tables>,
      workspaceId: string,
      rotationIds: readonly string[],
    ): Promise<void> {
      if (rotationIds.length === 0) return
      await trx
        .deleteFrom('rotations')
        .where('rotation_id', 'in', rotationIds)
        .where('workspace_id', '=', workspaceId)
        .execute()
    },

    /** Deletes expired rows. Runs in the background. */
    async sweep(now: number): Promise<void> {
      await database.transaction((trx) =>
        trx.deleteFrom('rotations').where('expires_at', '<=', now).execute(),
      )
    },
  }
}

export type RotationStore = ReturnType<typeof createRotationStore>
