import type { Kysely } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../auth/workspace-access-store.ts'
import { ALL_ROWS, type Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Tables } from '../storage/tables.ts'
import type { Definition, DefinitionSummary } from './definition.ts'
import {
  isCatalogueRow,
  PINNED_COLUMNS,
  PINNED_SPEC,
  toDefinition,
  toDefinitionRow,
  toDefinitionSummary,
  UNPINNED_COLUMNS,
  visibleDefinitions,
} from './visible-definitions-store.ts'

/** Filters the definitions of a workspace. */
export interface DefinitionListFilter {
  readonly workspaceId: string
  readonly typeKeys?: readonly string[] | undefined
  readonly definitionId?: string | undefined
}

interface FindParams {
  readonly id: string
  readonly userId: string
  readonly workspaceId: string | null
}

/** Stores definitions. Callers see those of their workspaces, and those of the catalogue as their workspaces see them. */
export function createDefinitionStore(database: Database) {
  const preparedFind = database.prepare((db, param: Param<FindParams>) =>
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
      .select(UNPINNED_COLUMNS)
      .select(PINNED_COLUMNS)
      .select(PINNED_SPEC)
      .select('workspaces.workspace_id')
      .where('definitions.definition_id', '=', param('id')),
  )
  const preparedLive = database.prepare((db, param: Param<ListParams>) =>
    liveDefinitions(db, param),
  )
  const preparedLiveById = database.prepare((db, param: Param<ListParams & { id: string }>) =>
    liveDefinitions(db, param).where('definitions.definition_id', '=', param('id')),
  )
  return {
    /**
     * Finds a live or deleted definition. A catalogue definition is resolved for `workspaceId`, otherwise for the workspace
     * that the caller is bound to, otherwise for the caller's oldest workspace.
     */
    async find(
      access: WorkspaceAccess,
      definitionId: string,
      workspaceId: string | null = access.boundWorkspaceId,
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

    /** Finds a live definition that is visible to the workspace. */
    async findLive(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      workspaceId: string,
      definitionId: string,
    ): Promise<Definition | undefined> {
      const row = await visibleTo(db, access, workspaceId)
        .select(PINNED_SPEC)
        .where('definitions.definition_id', '=', definitionId)
        .executeTakeFirst()
      return row && toDefinition(row)
    },

    /** Lists the live definitions that are visible to a workspace, oldest first, without specs. */
    async list(
      access: WorkspaceAccess,
      filter: DefinitionListFilter,
      page: Pagination,
    ): Promise<DefinitionSummary[]> {
      const rows = await listQuery(database.read, access, filter, page).execute()
      return rows.map(toDefinitionSummary)
    },

    /** Lists all of them. */
    async listAll(
      access: WorkspaceAccess,
      { workspaceId, definitionId, typeKeys }: DefinitionListFilter,
    ): Promise<DefinitionSummary[]> {
      if (!coversWorkspace(access, workspaceId)) return []
      const params = { userId: access.userId, workspaceId }
      const rows =
        definitionId === undefined
          ? await preparedLive.all(params)
          : await preparedLiveById.all({ ...params, id: definitionId })
      const isRequested = ({ type_key }: { readonly type_key: string }) =>
        typeKeys === undefined || typeKeys.includes(type_key)
      return rows.filter(isRequested).map(toDefinitionSummary)
    },

    /** Lists all of them with their specs. */
    async listWithSpecs(
      access: WorkspaceAccess,
      filter: DefinitionListFilter,
    ): Promise<Definition[]> {
      const query = listQuery(database.read, access, filter, ALL_ROWS)
      const rows = await query.select(PINNED_SPEC).execute()
      return rows.map(toDefinition)
    },

    /** The categories of a workspace's own live definitions. */
    listTypes: (
      access: WorkspaceAccess,
      workspaceId: string,
    ): Promise<{ key: string; name: string }[]> =>
      database.read
        .selectFrom('definitions')
        .select(['type_key as key', 'type_name as name'])
        .distinct()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('deleted_at', 'is', null)
        .execute(),

    async insert(trx: Kysely<Tables>, definition: Omit<Definition, 'spec'>): Promise<void> {
      await trx.insertInto('definitions').values(toDefinitionRow(definition)).execute()
    },

    /** Marks the definition as deleted. */
    async markDeleted(
      trx: Kysely<Tables>,
      access: WorkspaceAccess,
      definitionId: string,
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

interface ListParams {
  readonly userId: string
  readonly workspaceId: string
}

function liveDefinitions(db: Kysely<Tables>, param: Param<ListParams>) {
  return visibleDefinitions(db, param('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .where('definitions.deleted_at', 'is', null)
    .orderBy('definitions.created_at')
    .orderBy('definitions.definition_id')
}

function visibleTo(db: Kysely<Tables>, access: WorkspaceAccess, workspaceId: string) {
  return visibleDefinitions(db, workspaceId)
    .where(isAccessibleWorkspace(access, workspaceId))
    .where('definitions.deleted_at', 'is', null)
}

function listQuery(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  filter: DefinitionListFilter,
  page: Pagination,
) {
  let query = visibleTo(db, access, filter.workspaceId)
    .orderBy('definitions.created_at')
    .orderBy('definitions.definition_id')
  if (filter.typeKeys !== undefined)
    query = query.where('definitions.type_key', 'in', [...filter.typeKeys])
  if (filter.definitionId !== undefined)
    query = query.where('definitions.definition_id', '=', filter.definitionId)
  if (page.after !== undefined) {
    const { createdAt, id } = page.after
    query = query.where((eb) =>
      eb(
        eb.refTuple('definitions.created_at', 'definitions.definition_id'),
        '>',
        eb.tuple(createdAt, id),
      ),
    )
  }
  return page.limit === undefined ? query : query.limit(page.limit + 1)
}
