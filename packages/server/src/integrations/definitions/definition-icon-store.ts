import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Definition } from './definition.ts'

/** An icon as it is served. */
export interface DefinitionIcon {
  /** The path of this service, which contains the hash of the content. */
  readonly path: string
  readonly mediaType: string
  readonly content: Uint8Array
}

type Ids = Pick<Definition, 'definitionId' | 'workspaceId'>

/** Stores the icons that workspaces set for definitions. Callers have found the definition in the workspace. */
export function createDefinitionIconStore(database: Database) {
  return {
    /** The icon at a path, which is public; undefined if no workspace uses it. */
    async find(path: string): Promise<DefinitionIcon | undefined> {
      const row = await database.read
        .selectFrom('definition_icons')
        .select(['path', 'media_type', 'content'])
        .where('path', '=', path)
        .limit(1)
        .executeTakeFirst()
      return row && { path: row.path, mediaType: row.media_type, content: row.content }
    },

    async set(
      trx: Transaction,
      { definitionId, workspaceId }: Ids,
      { path, mediaType, content }: DefinitionIcon,
      now: number,
    ): Promise<void> {
      const icon = { path, media_type: mediaType, content, updated_at: now }
      await trx
        .insertInto('definition_icons')
        .values({ definition_id: definitionId, workspace_id: workspaceId, ...icon })
        .onConflict((conflict) =>
          conflict.columns(['definition_id', 'workspace_id']).doUpdateSet(icon),
        )
        .execute()
    },

    async remove(trx: Transaction, { definitionId, workspaceId }: Ids): Promise<void> {
      await trx
        .deleteFrom('definition_icons')
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .execute()
    },
  }
}

export type DefinitionIconStore = ReturnType<typeof createDefinitionIconStore>
