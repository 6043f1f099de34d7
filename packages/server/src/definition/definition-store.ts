import type { Kysely } from 'kysely'
import type { Reach } from '../caller/caller.ts'
import type { Page } from '../http/page.ts'
import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/hot-query.ts'
import type { DefinitionRow, Tables } from '../storage/tables.ts'
import { reachable } from '../workspace/workspace-store.ts'

/** Which definitions of a workspace. */
export interface DefinitionListFilter {
  readonly workspaceId: string
  readonly typeKeys?: readonly string[] | undefined
  readonly definitionId?: string | undefined
}

/** Definitions of the workspaces that the caller reaches. */
export function createDefinitionStore(database: Database) {
  const hotFind = database.hot((db, param: Param<{ id: string; userId: string }>) =>
    db
      .selectFrom('definitions')
      .selectAll('definitions')
      .where('definition_id', '=', param('id'))
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('workspaces')
            .select('workspaces.workspace_id')
            .whereRef('workspaces.workspace_id', '=', 'definitions.workspace_id')
            .where('workspaces.user_id', '=', param('userId'))
            .where('workspaces.deleted_at', 'is', null),
        ),
      ),
  )
  return {
    /** Live or deleted. */
    async find(reach: Reach, definitionId: string): Promise<DefinitionRow | undefined> {
      const row = await hotFind.first({ id: definitionId, userId: reach.userId })
      return row !== undefined && within(reach, row.workspace_id) ? row : undefined
    },

    /** The live definition of this workspace. */
    findLive: (
      db: Kysely<Tables>,
      reach: Reach,
      workspaceId: string,
      definitionId: string,
    ): Promise<DefinitionRow | undefined> =>
      db
        .selectFrom('definitions')
        .selectAll()
        .where('definition_id', '=', definitionId)
        .where('workspace_id', '=', workspaceId)
        .where('workspace_id', 'in', reachable(db, reach))
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),

    /** The live ones, oldest first. */
    list(reach: Reach, filter: DefinitionListFilter, page: Page): Promise<DefinitionRow[]> {
      let query = database.read
        .selectFrom('definitions')
        .selectAll()
        .where('workspace_id', '=', filter.workspaceId)
        .where('workspace_id', 'in', reachable(database.read, reach))
        .where('deleted_at', 'is', null)
        .orderBy('created_at')
        .orderBy('definition_id')
      if (filter.typeKeys !== undefined) query = query.where('type_key', 'in', [...filter.typeKeys])
      if (filter.definitionId !== undefined)
        query = query.where('definition_id', '=', filter.definitionId)
      if (page.after !== undefined) {
        const { createdAt, id } = page.after
        query = query.where((eb) =>
          eb(eb.refTuple('created_at', 'definition_id'), '>', eb.tuple(createdAt, id)),
        )
      }
      return (page.limit === undefined ? query : query.limit(page.limit + 1)).execute()
    },

    /** The types that live definitions of a workspace have. */
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

    /** Whether live accounts use it. */
    async isUsed(trx: Kysely<Tables>, reach: Reach, definitionId: string): Promise<boolean> {
      const row = await trx
        .selectFrom('accounts')
        .select('account_id')
        .where('definition_id', '=', definitionId)
        .where('workspace_id', 'in', reachable(trx, reach))
        .where('deleted_at', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export type DefinitionStore = ReturnType<typeof createDefinitionStore>

function within(reach: Reach, workspaceId: string): boolean {
  return reach.boundTo === null || reach.boundTo === workspaceId
}
