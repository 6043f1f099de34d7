import type { Kysely } from 'kysely'
import type { Database } from '../../storage/database.ts'
import type { RotationRow, Tables } from '../../storage/tables.ts'

/** Tokens that integrations got in place of given ones, for as long as no account keeps them. */
export function createRotationStore(database: Database) {
  return {
    find: (
      workspaceId: string,
      rotationId: string,
      now: number,
    ): Promise<RotationRow | undefined> =>
      database.read
        .selectFrom('rotations')
        .selectAll()
        .where('rotation_id', '=', rotationId)
        .where('workspace_id', '=', workspaceId)
        .where('expires_at', '>', now)
        .executeTakeFirst(),

    /** In place of what was kept before. */
    async keep(trx: Kysely<Tables>, row: RotationRow): Promise<void> {
      const { sealed, expires_at } = row
      await trx
        .insertInto('rotations')
        .values(row)
        .onConflict((oc) => oc.column('rotation_id').doUpdateSet({ sealed, expires_at }))
        .execute()
    },

    /** An account has taken them over. */
    async forget(trx: Kysely<Tables>, workspaceId: string, rotationId: string): Promise<void> {
      await trx
        .deleteFrom('rotations')
        .where('rotation_id', '=', rotationId)
        .where('workspace_id', '=', workspaceId)
        .execute()
    },

    /** For the background: erases what nobody came for. */
    async sweep(now: number): Promise<void> {
      await database.transaction((trx) =>
        trx.deleteFrom('rotations').where('expires_at', '<=', now).execute(),
      )
    },
  }
}

export type RotationStore = ReturnType<typeof createRotationStore>
