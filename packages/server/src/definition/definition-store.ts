import { type Kysely, sql } from 'kysely'
import type { Reach } from '../caller/caller.ts'
import { ALL, type Page } from '../http/page.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/hot-query.ts'
import type { DefinitionRow, Tables } from '../storage/tables.ts'
import { reachable } from '../workspace/workspace-store.ts'
import {
  definitionsSeenBy,
  isOfCatalogue,
  PINNED_COLUMNS,
  PINNED_SPEC,
  SHARED_COLUMNS,
} from './definition-view-store.ts'

/** A definition without its spec. */
export type ListedDefinition = Omit<DefinitionRow, 'spec'>

/** Which definitions of a workspace. */
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

/** Definitions of the workspaces that the caller reaches, and of the catalogue as those see them. */
export function createDefinitionStore(database: Database) {
  const hotFind = database.hot((db, param: Param<FindParams>) =>
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
                .when(isOfCatalogue())
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
      .select(SHARED_COLUMNS)
      .select(PINNED_COLUMNS)
      .select(PINNED_SPEC)
      .select('workspaces.workspace_id')
      .where('definitions.definition_id', '=', param('id')),
  )
  return {
    /**
     * Live or deleted. One of the catalogue is shown as in `workspaceId`, else the workspace that the caller is bound to,
     * else the caller's oldest.
     */
    async find(
      reach: Reach,
      definitionId: string,
      workspaceId: string | null = reach.boundTo,
    ): Promise<DefinitionRow | undefined> {
      const row = await hotFind.first({ id: definitionId, userId: reach.userId, workspaceId })
      return row !== undefined && within(reach, row.workspace_id) ? row : undefined
    },

    /** The live definition that this workspace sees. */
    findLive: (
      db: Kysely<Tables>,
      reach: Reach,
      workspaceId: string,
      definitionId: string,
    ): Promise<DefinitionRow | undefined> =>
      seenBy(db, reach, workspaceId)
        .select(PINNED_SPEC)
        .where('definitions.definition_id', '=', definitionId)
        .executeTakeFirst(),

    /** The live ones that a workspace sees, oldest first, without their specs. */
    list: (reach: Reach, filter: DefinitionListFilter, page: Page): Promise<ListedDefinition[]> =>
      listQuery(database.read, reach, filter, page).execute(),

    /** The same with their specs, all of them. */
    listWithSpecs: (reach: Reach, filter: DefinitionListFilter): Promise<DefinitionRow[]> =>
      listQuery(database.read, reach, filter, ALL).select(PINNED_SPEC).execute(),

    /** The types that live definitions of a workspace's own have. */
    listTypes: (reach: Reach, workspaceId: string): Promise<{ key: string; name: string }[]> =>
      database.read
        .selectFrom('definitions')
        .select(['type_key as key', 'type_name as name'])
        .distinct()
        .where('workspace_id', '=', workspaceId)
        .where('workspace_id', 'in', reachable(database.read, reach))
        .where('deleted_at', 'is', null)
        .execute(),

    async insert(trx: Kysely<Tables>, row: DefinitionRow): Promise<void> {
      await trx.insertInto('definitions').values(row).execute()
    },

    /** Leaves a tombstone. */
    async markDeleted(
      trx: Kysely<Tables>,
      reach: Reach,
      definitionId: string,
      now: number,
    ): Promise<void> {
      await trx
        .updateTable('definitions')
        .set({ deleted_at: now, updated_at: now })
        .where('definition_id', '=', definitionId)
        .where('workspace_id', 'in', reachable(trx, reach))
        .where('deleted_at', 'is', null)
        .execute()
    },
  }
}

export type DefinitionStore = ReturnType<typeof createDefinitionStore>

function seenBy(db: Kysely<Tables>, reach: Reach, workspaceId: string) {
  return definitionsSeenBy(db, workspaceId)
    .where(sql<string>`${workspaceId}`, 'in', reachable(db, reach))
    .where('definitions.deleted_at', 'is', null)
}

function within(reach: Reach, workspaceId: string): boolean {
  return reach.boundTo === null || reach.boundTo === workspaceId
}

function listQuery(db: Kysely<Tables>, reach: Reach, filter: DefinitionListFilter, page: Page) {
  let query = seenBy(db, reach, filter.workspaceId)
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
