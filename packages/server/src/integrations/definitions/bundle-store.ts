import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { Definition } from './definition.ts'

/** Stores bundles by their SHA-256. Content-addressed, so a bundle belongs to no workspace. */
export function createBundleStore(database: Database) {
  const code = async (sha256: string): Promise<Uint8Array | undefined> => {
    const row = await database.read
      .selectFrom('bundles')
      .select('code')
      .where('sha256', '=', sha256)
      .executeTakeFirst()
    return row !== undefined && hash('sha256', row.code) === sha256 ? row.code : undefined
  }
  return {
    /** The bytes with this digest; undefined if they are missing or damaged. */
    code,

    /** Stores the bytes unless they are already stored. */
    async save(trx: Kysely<Tables>, sha256: string, code: Uint8Array, now: number): Promise<void> {
      await trx
        .insertInto('bundles')
        .values({ sha256, code, size: code.byteLength, created_at: now })
        .onConflict((conflict) =>
          // The update locks the row on PostgreSQL, so that retention does not delete it before it is referenced.
          database.dialect === 'postgres'
            ? conflict.column('sha256').doUpdateSet({ size: code.byteLength })
            : conflict.column('sha256').doNothing(),
        )
        .execute()
    },

    /** The code with this digest, for the runner. @throws Error if it is missing or damaged */
    async load(sha256: string): Promise<string> {
      const bytes = await code(sha256)
      if (bytes === undefined) throw new Error(`bundle ${sha256} is missing or damaged`)
      return new TextDecoder().decode(bytes)
    },
  }
}

export type BundleStore = ReturnType<typeof createBundleStore>

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
