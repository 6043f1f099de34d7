import type { Kysely } from 'kysely'
import type { Definition, DefinitionId } from '../../integrations/definitions/definition.ts'
import {
  type BundleVersion,
  toVersionColumns,
} from '../../integrations/definitions/definition-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'

/** A version without its spec. */
export type VersionDigest = Omit<BundleVersion, 'specJson'>

/** A version that a workspace has run before. */
export interface PreviousVersion extends VersionDigest {
  /** Counts up from 1; the highest is the previous version. Below that: versions that were rolled back. */
  readonly position: number
}

/** A version that a rollback can restore. */
export type RollbackVersion = PreviousVersion & BundleVersion

/** The definition in a workspace. */
type Ids = Pick<Definition, 'definitionId' | 'workspaceId'>

/** Stores current and previous versions. Callers must have found the definition among those that the caller can access. */
export function createVersionStore(database: Database) {
  return {
    /** A version that a rollback can restore: the one with this number, else the newest. */
    async findRollbackVersion(
      ids: Ids,
      version: string | undefined,
    ): Promise<RollbackVersion | undefined> {
      let query = selectPreviousVersions(database.read, ids)
        .select('spec')
        .where('position', '>', 0)
        .orderBy('position', 'desc')
        .limit(1)
      if (version !== undefined) query = query.where('version', '=', version)
      const row = await query.executeTakeFirst()
      return row && { ...toPreviousVersion(row), specJson: row.spec }
    },

    /** All previous versions of the workspace, including those that were rolled back. */
    async listPreviousVersions(
      ids: Ids,
      db: Kysely<Tables> = database.read,
    ): Promise<PreviousVersion[]> {
      const rows = await selectPreviousVersions(db, ids).orderBy('position').execute()
      return rows.map(toPreviousVersion)
    },

    async insertPrevious(
      trx: Kysely<Tables>,
      ids: Ids,
      previous: RollbackVersion,
      usedUntil: number,
    ): Promise<void> {
      await trx
        .insertInto('previous_versions')
        .values({
          ...toIdColumns(ids),
          ...toVersionColumns(previous),
          position: previous.position,
          used_until: usedUntil,
        })
        .execute()
    },

    /** Deletes a stored version and those after it. */
    async deleteFrom(
      trx: Kysely<Tables>,
      { definitionId, workspaceId }: Ids,
      { position }: PreviousVersion,
    ): Promise<void> {
      await trx
        .deleteFrom('previous_versions')
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .where('position', '>=', position)
        .execute()
    },

    /**
     * Records the digests of versions that are rolled back, below those that can be restored: the bytes at their URLs must
     * not change either.
     */
    async recordDigests(
      trx: Kysely<Tables>,
      ids: Ids,
      abandoned: readonly VersionDigest[],
      now: number,
    ): Promise<void> {
      const known = await this.listPreviousVersions(ids, trx)
      let position = Math.min(0, known[0]?.position ?? 0)
      for (const { version, sourceUrl, bundleSha256 } of abandoned) {
        const isKnown = known.some(
          (each) => each.position < 0 && each.version === version && each.sourceUrl === sourceUrl,
        )
        if (isKnown) continue
        position -= 1
        const digest = { version, sourceUrl, bundleSha256, position, specJson: '{}' }
        await this.insertPrevious(trx, ids, digest, now)
      }
    },

    /** The version that workspaces without a pin run. */
    async findUnpinned(
      trx: Kysely<Tables>,
      definitionId: DefinitionId,
    ): Promise<VersionDigest | undefined> {
      const row = await trx
        .selectFrom('definitions')
        .select(['version', 'source_url', 'bundle_sha256'])
        .where('definition_id', '=', definitionId)
        .executeTakeFirst()
      return row && toVersion(row)
    },

    async pin(trx: Kysely<Tables>, ids: Ids, target: BundleVersion, now: number): Promise<void> {
      const version = toVersionColumns(target)
      const pin = { ...version, updated_at: now, update_due: 0 } as const
      await trx
        .insertInto('definition_pins')
        .values({ ...toIdColumns(ids), ...pin })
        .onConflict((conflict) =>
          conflict.columns(['definition_id', 'workspace_id']).doUpdateSet(pin),
        )
        .execute()
    },

    async unpin(trx: Kysely<Tables>, { definitionId, workspaceId }: Ids): Promise<void> {
      await trx
        .deleteFrom('definition_pins')
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .execute()
    },

    /** Replaces the version of a custom definition. */
    async replace(
      trx: Kysely<Tables>,
      { definitionId, workspaceId }: Ids,
      target: BundleVersion,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('definitions')
        .set({ ...toVersionColumns(target), updated_at: now })
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .execute()
    },
  }
}

export type VersionStore = ReturnType<typeof createVersionStore>

function selectPreviousVersions(db: Kysely<Tables>, { definitionId, workspaceId }: Ids) {
  return db
    .selectFrom('previous_versions')
    .select(['version', 'source_url', 'bundle_sha256', 'position'])
    .where('definition_id', '=', definitionId)
    .where('workspace_id', '=', workspaceId)
}

interface VersionColumns {
  readonly version: string
  readonly source_url: string
  readonly bundle_sha256: string
}

function toVersion({ version, source_url, bundle_sha256 }: VersionColumns): VersionDigest {
  return { version, sourceUrl: source_url, bundleSha256: bundle_sha256 }
}

function toPreviousVersion(row: VersionColumns & { readonly position: number }): PreviousVersion {
  return { ...toVersion(row), position: row.position }
}

function toIdColumns({ definitionId, workspaceId }: Ids) {
  return { definition_id: definitionId, workspace_id: workspaceId }
}
