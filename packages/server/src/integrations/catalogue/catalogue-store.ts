import { type Kysely, sql } from 'kysely'
import { toUserRow } from '../../access/users/user-store.ts'
import { toWorkspaceRow } from '../../access/workspaces/workspace-store.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import type { Database } from '../../platform/storage/database.ts'
import { CATALOGUE_USER_ID, CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { Definition, DefinitionId, DefinitionSummary } from '../definitions/definition.ts'
import {
  type BundleVersion,
  toDefinitionRow,
  toVersionColumns,
} from '../definitions/definition-store.ts'
import { isCatalogueRow, toDefinitionSummary } from '../definitions/visible-definitions-store.ts'

/** A version that the catalogue or a registry offers; its bundle may not be stored yet. */
export interface CatalogueVersion {
  readonly definitionId: DefinitionId
  readonly version: string
  /** Begins with `/` if this service serves it. */
  readonly sourceUrl: string
  readonly bundleSha256: string
}

/** A version that has been offered. */
export interface RecordedVersion extends CatalogueVersion {
  /** Whether the bytes with its digest are stored. */
  readonly isStored: boolean
}

/** A change of a shared definition. Absent fields are unchanged. */
export type DefinitionChange = Pick<Definition, 'updatedAt'> &
  Pick<DefinitionSummary, 'name' | 'icon' | 'releaseStage' | 'typeKey' | 'typeName'> &
  Pick<DefinitionSummary, 'latestVersion' | 'latestSourceUrl'> &
  (BundleVersion | { readonly [Name in keyof BundleVersion]?: never })

/** Stores the definitions shared by all workspaces. Not scoped to a caller. */
export function createCatalogueStore(database: Database) {
  return {
    /** Lists all shared definitions. */
    async listDefinitions(): Promise<DefinitionSummary[]> {
      const rows = await database.read
        .selectFrom('definitions')
        .select([
          ...(['definition_id', 'workspace_id', 'key', 'name', 'icon', 'version'] as const),
          ...(['release_stage', 'type_key', 'type_name', 'source_url', 'bundle_sha256'] as const),
          ...(['created_at', 'updated_at', 'deleted_at'] as const),
          ...(['latest_version', 'latest_source_url'] as const),
        ])
        .where(isCatalogueRow())
        .execute()
      return rows.map(toDefinitionSummary)
    },

    /** Whether any workspace has definitions of its own. */
    async hasCustomDefinitions(): Promise<boolean> {
      // The ID of the catalogue's workspace is the first of all, and an index has no range for "not equal".
      const row = await database.read
        .selectFrom('definitions')
        .select('definition_id')
        .where('workspace_id', '>', CATALOGUE_WORKSPACE_ID)
        .where('deleted_at', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The integrations that run with a changed entry: in how many workspaces, beside those that share the newest version. */
    async listOverridden(): Promise<
      { readonly key: string; readonly isShared: boolean; readonly workspaces: number }[]
    > {
      const { rows } = await sql<{ key: string; shared: number; workspaces: number }>`
        select definitions.key,
          max(case when definitions.source_url like 'ni:%' then 1 else 0 end) as shared,
          count(definition_pins.workspace_id) as workspaces
        from definitions left join definition_pins
          on definition_pins.definition_id = definitions.definition_id
          and definition_pins.source_url like 'ni:%'
        where definitions.workspace_id = ${CATALOGUE_WORKSPACE_ID}
          and (definitions.source_url like 'ni:%' or definition_pins.workspace_id is not null)
        group by definitions.key order by definitions.key`.execute(database.read)
      return rows.map(({ key, shared, workspaces }) => ({
        key,
        isShared: Number(shared) === 1,
        workspaces: Number(workspaces),
      }))
    },

    /** Lists all versions ever offered, optionally of one definition. */
    async listVersions(definitionId?: DefinitionId): Promise<RecordedVersion[]> {
      const query = database.read
        .selectFrom('catalogue_versions')
        .leftJoin('bundles', 'bundles.sha256', 'catalogue_versions.bundle_sha256')
        .selectAll('catalogue_versions')
        .select('bundles.sha256 as stored_sha256')
      const rows = await (definitionId === undefined
        ? query
        : query.where('definition_id', '=', definitionId)
      ).execute()
      return rows.map((row) => ({
        definitionId: row.definition_id,
        version: row.version,
        sourceUrl: row.source_url,
        bundleSha256: row.bundle_sha256,
        isStored: row.stored_sha256 !== null,
      }))
    },

    /** Creates the workspace that owns shared definitions, which no user can access. */
    async ensureOwner(trx: Kysely<Tables>, now: number): Promise<void> {
      const times = { createdAt: now, updatedAt: now }
      const userId = CATALOGUE_USER_ID
      // Not a valid email address, so no user can register it.
      const user = { userId, email: 'catalogue', firstname: '', lastname: '', ...times }
      await trx
        .insertInto('users')
        .values(toUserRow(user))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await trx
        .insertInto('workspaces')
        .values(
          toWorkspaceRow({
            workspaceId: CATALOGUE_WORKSPACE_ID,
            userId,
            slug: 'catalogue',
            name: '',
            settings: {},
            initialSetupComplete: true,
            anonymousDataCollection: false,
            ...times,
            deletedAt: null,
          }),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Deletes or restores a shared definition, unless it already is in that state. */
    async setDeleted(definitionId: DefinitionId, deletedAt: number | null): Promise<void> {
      await database.transaction((trx) =>
        trx
          .updateTable('definitions')
          .set({ deleted_at: deletedAt })
          .where('definition_id', '=', definitionId)
          .where(isCatalogueRow())
          .where('deleted_at', deletedAt === null ? 'is not' : 'is', null)
          .execute(),
      )
    },

    /** Inserts a shared definition unless another node has already done so. */
    async insert(trx: Kysely<Tables>, definition: Omit<Definition, 'spec'>): Promise<void> {
      await trx
        .insertInto('definitions')
        .values(toDefinitionRow(definition))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Updates a shared definition unless its version has changed since it was read. */
    async update(
      trx: Kysely<Tables>,
      { definitionId, version }: Pick<DefinitionSummary, 'definitionId' | 'version'>,
      change: DefinitionChange,
    ): Promise<void> {
      await trx
        .updateTable('definitions')
        .set(toChangedColumns(change))
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', CATALOGUE_WORKSPACE_ID)
        .where('version', '=', version)
        .execute()
    },

    async insertVersion(trx: Kysely<Tables>, offered: CatalogueVersion): Promise<void> {
      await trx
        .insertInto('catalogue_versions')
        .values({
          definition_id: offered.definitionId,
          version: offered.version,
          source_url: offered.sourceUrl,
          bundle_sha256: offered.bundleSha256,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Updates the URL and digest of a version. */
    async updateVersion(trx: Kysely<Tables>, offered: CatalogueVersion): Promise<void> {
      await trx
        .updateTable('catalogue_versions')
        .set({ source_url: offered.sourceUrl, bundle_sha256: offered.bundleSha256 })
        .where('definition_id', '=', offered.definitionId)
        .where('version', '=', offered.version)
        .execute()
    },

    /** Whether the audit log already contains this event for a definition. */
    async hasAuditEvent(db: Kysely<Tables>, subject: string, detail: string): Promise<boolean> {
      const row = await selectAuditEntries(db)
        .select('event_id')
        .where('workspace_id', '=', CATALOGUE_WORKSPACE_ID)
        .where('subject', '=', subject)
        .where('detail', '=', detail)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type CatalogueStore = ReturnType<typeof createCatalogueStore>

function toChangedColumns(change: DefinitionChange) {
  return {
    name: change.name,
    icon: change.icon,
    release_stage: change.releaseStage,
    type_key: change.typeKey,
    type_name: change.typeName,
    latest_version: change.latestVersion,
    latest_source_url: change.latestSourceUrl,
    ...(change.version === undefined ? {} : toVersionColumns(change)),
    updated_at: change.updatedAt,
  }
}

/** The last valid document of a registry. */
export interface Registry {
  readonly url: string
  readonly etag: string | null
  /** As it was received; null if none has been stored yet. */
  readonly document: string | null
}

/** Stores the last valid document of each registry, and the time of the next fetch. */
export const registryStore = {
  /**
   * Claims the next fetch for this node: no other node gets it before `nextAt`.
   *
   * @param dueBefore claims a fetch scheduled before this time, in milliseconds since 1970
   * @returns the stored state of the registry; undefined if the fetch is not due
   */
  async claim(
    trx: Kysely<Tables>,
    url: string,
    dueBefore: number,
    nextAt: number,
  ): Promise<Registry | undefined> {
    await trx
      .insertInto('registries')
      .values({ url, etag: null, document: null, fetched_at: null, next_at: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return trx
      .updateTable('registries')
      .set({ next_at: nextAt })
      .where('url', '=', url)
      .where('next_at', '<=', dueBefore)
      .returning(['url', 'etag', 'document'])
      .executeTakeFirst()
  },

  /** Stores a document that was just fetched. */
  async saveDocument(
    trx: Kysely<Tables>,
    { url, etag, document }: Registry,
    fetchedAt: number,
  ): Promise<void> {
    const change = { etag, document, fetched_at: fetchedAt }
    await trx.updateTable('registries').set(change).where('url', '=', url).execute()
  },

  /** Changes the time of the next fetch. */
  async reschedule(trx: Kysely<Tables>, url: string, nextAt: number): Promise<void> {
    await trx.updateTable('registries').set({ next_at: nextAt }).where('url', '=', url).execute()
  },
}
