import type { Kysely } from 'kysely'
import type { Database } from '../storage/database.ts'
import type { DefinitionRow, PreviousVersionRow, Tables } from '../storage/tables.ts'

/** A version of a definition with its spec. */
export type BundleVersion = Pick<DefinitionRow, 'version' | 'source_url' | 'bundle_sha256' | 'spec'>

/** A version without its spec. */
export type PreviousVersion = Omit<PreviousVersionRow, 'spec' | 'used_until' | keyof Ids>

type Ids = Pick<DefinitionRow, 'definition_id' | 'workspace_id'>

/** Stores current and previous versions. Callers must have found the definition within their access scope. */
export function createVersionStore(database: Database) {
  return {
    /** The versions that a rollback can restore, newest first. */
    listRollbackVersions: (
      { definition_id, workspace_id }: Ids,
      db: Kysely<Tables> = database.read,
    ): Promise<PreviousVersionRow[]> =>
      db
        .selectFrom('kept_versions')
        .selectAll()
        .where('definition_id', '=', definition_id)
        .where('workspace_id', '=', workspace_id)
        .where('position', '>', 0)
        .orderBy('position', 'desc')
        .execute(),

    /** All previous versions of the workspace, including those that were rolled back. */
    listPreviousVersions: (
      { definition_id, workspace_id }: Ids,
      db: Kysely<Tables> = database.read,
    ): Promise<PreviousVersion[]> =>
      db
        .selectFrom('kept_versions')
        .select(['version', 'source_url', 'bundle_sha256', 'position'])
        .where('definition_id', '=', definition_id)
        .where('workspace_id', '=', workspace_id)
        .orderBy('position')
        .execute(),

    async insertPrevious(trx: Kysely<Tables>, row: PreviousVersionRow): Promise<void> {
      await trx.insertInto('kept_versions').values(row).execute()
    },

    /** Deletes a stored version and those after it. */
    async deleteFrom(trx: Kysely<Tables>, row: PreviousVersionRow): Promise<void> {
      await trx
        .deleteFrom('kept_versions')
        .where('definition_id', '=', row.definition_id)
        .where('workspace_id', '=', row.workspace_id)
        .where('position', '>=', row.position)
        .execute()
    },

    /**
     * Records the digests of versions that are rolled back, below those that can be restored: the bytes at their URLs must
     * not change either.
     */
    async recordDigests(
      trx: Kysely<Tables>,
      ids: Ids,
      abandoned: readonly Omit<BundleVersion, 'spec'>[],
      now: number,
    ): Promise<void> {
      const { definition_id, workspace_id } = ids
      const previousVersions = await this.listPreviousVersions(ids, trx)
      let position = Math.min(0, previousVersions[0]?.position ?? 0)
      for (const { version, source_url, bundle_sha256 } of abandoned) {
        const isKnown = previousVersions.some(
          (each) => each.position < 0 && each.version === version && each.source_url === source_url,
        )
        if (isKnown) continue
        position -= 1
        const row = { definition_id, workspace_id, position, version, source_url, bundle_sha256 }
        await this.insertPrevious(trx, { ...row, spec: '{}', used_until: now })
      }
    },

    /** The version that workspaces without a pin run. */
    findUnpinned: (trx: Kysely<Tables>, definitionId: string): Promise<BundleVersion | undefined> =>
      trx
        .selectFrom('definitions')
        .select(['version', 'source_url', 'bundle_sha256', 'spec'])
        .where('definition_id', '=', definitionId)
        .executeTakeFirst(),

    async pin(trx: Kysely<Tables>, ids: Ids, target: BundleVersion, now: number): Promise<void> {
      const { definition_id, workspace_id } = ids
      const pin = { ...pickVersionColumns(target), updated_at: now }
      await trx
        .insertInto('definition_pins')
        .values({ definition_id, workspace_id, ...pin })
        .onConflict((conflict) =>
          conflict.columns(['definition_id', 'workspace_id']).doUpdateSet(pin),
        )
        .execute()
    },

    async unpin(trx: Kysely<Tables>, { definition_id, workspace_id }: Ids): Promise<void> {
      await trx
        .deleteFrom('definition_pins')
        .where('definition_id', '=', definition_id)
        .where('workspace_id', '=', workspace_id)
        .execute()
    },

    /** Replaces the version of a custom definition. */
    async replace(
      trx: Kysely<Tables>,
      ids: Ids,
      target: BundleVersion,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('definitions')
        .set({ ...pickVersionColumns(target), updated_at: now })
        .where('definition_id', '=', ids.definition_id)
        .where('workspace_id', '=', ids.workspace_id)
        .execute()
    },
  }
}

export type VersionStore = ReturnType<typeof createVersionStore>

function pickVersionColumns({
  version,
  source_url,
  bundle_sha256,
  spec,
}: BundleVersion): BundleVersion {
  return { version, source_url, bundle_sha256, spec }
}
