import type { Kysely } from 'kysely'
import { CATALOGUE_USER_ID, CATALOGUE_WORKSPACE_ID } from '../storage/catalogue-owner.ts'
import type { Database } from '../storage/database.ts'
import type { CatalogueVersionRow, DefinitionRow, Tables } from '../storage/tables.ts'

/** A shared definition without its spec. */
export type CatalogueDefinitionRow = Omit<DefinitionRow, 'spec'>

/** A version that has been offered. `stored_sha256`: its digest if its bytes are stored, otherwise null. */
export type RecordedVersion = CatalogueVersionRow & { readonly stored_sha256: string | null }

/** Stores the definitions shared by all workspaces. Not scoped to a caller. */
export function createCatalogueStore(database: Database) {
  return {
    /** Lists all shared definitions. */
    listDefinitions: (): Promise<CatalogueDefinitionRow[]> =>
      database.read
        .selectFrom('definitions')
        .select([
          ...(['definition_id', 'workspace_id', 'key', 'name', 'icon', 'version'] as const),
          ...(['release_stage', 'type_key', 'type_name', 'source_url', 'bundle_sha256'] as const),
          ...(['created_at', 'updated_at', 'deleted_at'] as const),
          ...(['latest_version', 'latest_source_url'] as const),
        ])
        .where('workspace_id', '=', CATALOGUE_WORKSPACE_ID)
        .execute(),

    /** Lists all versions ever offered, optionally of one definition. */
    listVersions(definitionId?: string): Promise<RecordedVersion[]> {
      const query = database.read
        .selectFrom('catalogue_versions')
        .leftJoin('bundles', 'bundles.sha256', 'catalogue_versions.bundle_sha256')
        .selectAll('catalogue_versions')
        .select('bundles.sha256 as stored_sha256')
      return (
        definitionId === undefined ? query : query.where('definition_id', '=', definitionId)
      ).execute()
    },

    /** Creates the workspace that owns shared definitions, which no user can access. */
    async ensureOwner(trx: Kysely<Tables>, now: number): Promise<void> {
      const times = { created_at: now, updated_at: now }
      const user = { user_id: CATALOGUE_USER_ID, firstname: '', lastname: '', ...times }
      await trx
        .insertInto('users')
        // Not a valid email address, so no user can register it.
        .values({ ...user, email: 'catalogue', email_key: 'catalogue' })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await trx
        .insertInto('workspaces')
        .values({
          workspace_id: CATALOGUE_WORKSPACE_ID,
          user_id: CATALOGUE_USER_ID,
          slug: 'catalogue',
          name: '',
          settings: '{}',
          initial_setup_complete: 1,
          anonymous_data_collection: 0,
          ...times,
          deleted_at: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Inserts a shared definition unless another node has already done so. */
    async insert(trx: Kysely<Tables>, row: DefinitionRow): Promise<void> {
      await trx
        .insertInto('definitions')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Pins all workspaces that use the definition, by live accounts or an OAuth app, to the version that they run. */
    async pinActiveWorkspaces(trx: Kysely<Tables>, definitionId: string): Promise<void> {
      const users = trx
        .selectFrom('accounts')
        .select('workspace_id')
        .where('definition_id', '=', definitionId)
        .where('deleted_at', 'is', null)
        // Every OAuth session that can still succeed has an app.
        .union(
          trx
            .selectFrom('oauth_apps')
            .select('workspace_id')
            .where('definition_id', '=', definitionId),
        )
      await trx
        .insertInto('definition_pins')
        .columns([
          ...(['definition_id', 'workspace_id', 'version', 'source_url'] as const),
          ...(['bundle_sha256', 'spec', 'updated_at'] as const),
        ])
        .expression(
          trx
            .selectFrom('definitions')
            .innerJoin(users.as('users'), (join) => join.onTrue())
            .select([
              ...(['definitions.definition_id', 'users.workspace_id'] as const),
              ...(['definitions.version', 'definitions.source_url'] as const),
              ...(['definitions.bundle_sha256', 'definitions.spec'] as const),
              'definitions.updated_at',
            ])
            .where('definitions.definition_id', '=', definitionId),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Updates a shared definition unless its version has changed since it was read. */
    async update(
      trx: Kysely<Tables>,
      { definition_id, version }: Pick<CatalogueDefinitionRow, 'definition_id' | 'version'>,
      change: Partial<DefinitionRow>,
    ): Promise<void> {
      await trx
        .updateTable('definitions')
        .set(change)
        .where('definition_id', '=', definition_id)
        .where('workspace_id', '=', CATALOGUE_WORKSPACE_ID)
        .where('version', '=', version)
        .execute()
    },

    async insertVersion(trx: Kysely<Tables>, row: CatalogueVersionRow): Promise<void> {
      await trx
        .insertInto('catalogue_versions')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /** Updates the URL and digest of a version. */
    async updateVersion(trx: Kysely<Tables>, row: CatalogueVersionRow): Promise<void> {
      const { definition_id, version, source_url, bundle_sha256 } = row
      await trx
        .updateTable('catalogue_versions')
        .set({ source_url, bundle_sha256 })
        .where('definition_id', '=', definition_id)
        .where('version', '=', version)
        .execute()
    },

    /** Whether the audit log already contains this event for a definition. */
    async hasAuditEvent(db: Kysely<Tables>, subject: string, detail: string): Promise<boolean> {
      const row = await db
        .selectFrom('audit_events')
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
