import type { Kysely } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import { isInAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database, Param } from '../../platform/storage/database.ts'
import type { DefinitionRow, Tables } from '../../platform/storage/tables.ts'
import type { Definition, DefinitionId } from './definition.ts'
import { createDefinitionLists } from './definition-list-store.ts'
import {
  createFindDefinitionIdByKey,
  createFindLiveDefinition,
  isCatalogueRow,
  PINNED_COLUMNS,
  PINNED_SPEC,
  toDefinition,
  UNPINNED_COLUMNS,
} from './visible-definitions-store.ts'

interface FindParams {
  readonly id: DefinitionId
  readonly userId: UserId
  readonly workspaceId: WorkspaceId | null
}

/** Stores definitions. Callers see those of their workspaces, and those of the catalogue as their workspaces see them. */
export function createDefinitionStore(database: Database) {
  const preparedFind = database.prepare(
    (db, param: Param<FindParams>) =>
      db
        .selectFrom('definitions')
        .innerJoin('workspaces', (join) =>
          join
            .on('workspaces.user_id', '=', param('userId'))
            .on('workspaces.deleted_at', 'is', null)
            .on((eb) =>
              eb(
                'workspaces.workspace_id',
                '=',
                eb
                  .case()
                  .when(isCatalogueRow())
                  .then(
                    eb.fn.coalesce(
                      param('workspaceId'),
                      eb
                        .selectFrom('workspaces as oldest')
                        .select('oldest.workspace_id')
                        .where('oldest.user_id', '=', param('userId'))
                        .where('oldest.deleted_at', 'is', null)
                        .orderBy('oldest.created_at')
                        .orderBy('oldest.workspace_id')
                        .limit(1),
                    ),
                  )
                  .else(eb.ref('definitions.workspace_id'))
                  .end(),
              ),
            ),
        )
        .leftJoin('definition_pins', (join) =>
          join
            .onRef('definition_pins.definition_id', '=', 'definitions.definition_id')
            .onRef('definition_pins.workspace_id', '=', 'workspaces.workspace_id'),
        )
        .leftJoin('definition_icons', (join) =>
          join
            .onRef('definition_icons.definition_id', '=', 'definitions.definition_id')
            .onRef('definition_icons.workspace_id', '=', 'workspaces.workspace_id'),
        )
        .select(UNPINNED_COLUMNS)
        .select(PINNED_COLUMNS)
        .select(PINNED_SPEC)
        .select('workspaces.workspace_id')
        .where('definitions.definition_id', '=', param('id')),
    { id: 'text', userId: 'text', workspaceId: 'text' },
  )
  const findIdByKey = createFindDefinitionIdByKey(database)
  return {
    ...createDefinitionLists(database),

    /**
     * Finds a live or deleted definition. A catalogue definition is resolved for `workspaceId`, otherwise for the workspace
     * that the caller is bound to, otherwise for the caller's oldest workspace.
     */
    async find(
      access: WorkspaceAccess,
      definitionId: DefinitionId,
      workspaceId: WorkspaceId | null = access.boundWorkspaceId,
    ): Promise<Definition | undefined> {
      const row = await preparedFind.first({
        id: definitionId,
        userId: access.userId,
        workspaceId,
      })
      return row !== undefined && coversWorkspace(access, row.workspace_id)
        ? toDefinition(row)
        : undefined
    },

    findLive: createFindLiveDefinition(database, findIdByKey),

    findIdByKey,

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
