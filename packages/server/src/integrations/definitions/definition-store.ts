import type { Kysely } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DefinitionRow, Tables } from '../../platform/storage/tables.ts'
import type { Definition, DefinitionId } from './definition.ts'
import { createDefinitionFinders, createDefinitionLists } from './visible-definitions-store.ts'

/** Stores definitions. Callers see those of their workspaces, and those of the catalogue as their workspaces see them. */
export function createDefinitionStore(database: Database) {
  return {
    ...createDefinitionLists(database),
    ...createDefinitionFinders(database),

    async insert(trx: Kysely<Tables>, definition: Omit<Definition, 'spec'>): Promise<void> {
      await trx.insertInto('definitions').values(toDefinitionRow(definition)).execute()
    },

    /** Marks the definition as deleted. */
    async markDeleted(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      definitionId: DefinitionId,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('definitions')
        .set({ deleted_at: now, updated_at: now })
        .where('definition_id', '=', definitionId)
        .where(isInAccessibleWorkspace(access, 'definitions'))
        .where('deleted_at', 'is', null)
        .execute()
    },
  }
}

export type DefinitionStore = ReturnType<typeof createDefinitionStore>

/** The row of a definition. */
export function toDefinitionRow(definition: Omit<Definition, 'spec'>): DefinitionRow {
  return {
    definition_id: definition.definitionId,
    ...toVersionColumns(definition),
    workspace_id: definition.workspaceId,
    key: definition.key,
    name: definition.name,
    icon: definition.icon,
    release_stage: definition.releaseStage,
    type_key: definition.typeKey,
    type_name: definition.typeName,
    latest_version: definition.latestVersion,
    latest_source_url: definition.latestSourceUrl,
    created_at: definition.createdAt,
    updated_at: definition.updatedAt,
    deleted_at: definition.deletedAt,
  }
}

/** A version of a definition with its spec. */
export type BundleVersion = Pick<Definition, 'version' | 'sourceUrl' | 'bundleSha256' | 'specJson'>

/** The columns of a version. */
export function toVersionColumns({
  version,
  sourceUrl,
  bundleSha256,
  specJson,
}: BundleVersion): Pick<DefinitionRow, 'version' | 'source_url' | 'bundle_sha256' | 'spec'> {
  return { version, source_url: sourceUrl, bundle_sha256: bundleSha256, spec: specJson }
}

/** Something that prevents the deletion of a definition. */
export type DefinitionUse = 'accounts' | 'oauth_app' | 'oauth_session'

/** Finds what uses a definition in the workspaces that the caller can access: live accounts, an OAuth app, or OAuth sessions in progress. */
export async function findDefinitionUse(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  definitionId: DefinitionId,
  now: number,
): Promise<DefinitionUse | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('definition_id', '=', definitionId)
    .where(isInAccessibleWorkspace(access, 'accounts'))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (account !== undefined) return 'accounts'
  const app = await db
    .selectFrom('oauth_apps')
    .select('oauth_app_id')
    .where('definition_id', '=', definitionId)
    .where(isInAccessibleWorkspace(access, 'oauth_apps'))
    .limit(1)
    .executeTakeFirst()
  if (app !== undefined) return 'oauth_app'
  const session = await db
    .selectFrom('oauth_sessions')
    .select('attempt_id')
    .where('definition_id', '=', definitionId)
    .where(isInAccessibleWorkspace(access, 'oauth_sessions'))
    .where('finished_at', 'is', null)
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst()
  return session && 'oauth_session'
}
