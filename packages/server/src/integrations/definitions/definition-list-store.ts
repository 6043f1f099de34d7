import type { Kysely } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { ALL_ROWS, type Pagination, type TakeTurn } from '../../platform/http/pagination.ts'
import type { Database, Param } from '../../platform/storage/database.ts'

import type { Tables } from '../../platform/storage/tables.ts'
import type { Definition, DefinitionId, DefinitionSummary } from './definition.ts'
import {
  liveDefinitionsFor,
  PINNED_SPEC,
  selectDefinitionEpoch,
  selectVisibleDefinitions,
  toDefinition,
  toDefinitionSummary,
} from './visible-definitions-store.ts'

/** Filters the definitions of a workspace. */
export interface DefinitionListFilter {
  readonly workspaceId: WorkspaceId
  readonly typeKeys?: readonly string[] | undefined
  readonly definitionIds?: readonly DefinitionId[] | undefined
}

/** Lists the live definitions that a workspace sees, in the workspaces that the caller can access. */
export function createDefinitionLists(database: Database) {
  const preparedPage = database.prepare((db, param: Param<ListParams & PageParams>) =>
    liveDefinitions(db, param)
      .where((eb) =>
        eb(
          eb.refTuple('definitions.created_at', 'definitions.definition_id'),
          '>',
          eb.tuple(param('lastTime'), param('lastId')),
        ),
      )
      .limit(param('limit')),
  )
  const preparedLiveById = database.prepare((db, param: Param<ListParams & { id: DefinitionId }>) =>
    liveDefinitions(db, param).where('definitions.definition_id', '=', param('id')),
  )
  const preparedEpoch = database.prepare(
    (db, param: Param<{ workspaceId: WorkspaceId }>) =>
      db.selectNoFrom(selectDefinitionEpoch(param('workspaceId')).as('epoch')),
    { workspaceId: 'text' },
  )
  return {
    /** The epoch of the definitions that are visible to a workspace; see `selectDefinitionEpoch`. */
    async readEpoch(workspaceId: WorkspaceId): Promise<string> {
      return (await preparedEpoch.first({ workspaceId }))?.epoch ?? ''
    },

    /** Lists the live definitions that are visible to a workspace, oldest first, without specs. */
    async list(
      access: WorkspaceAccess,
      filter: DefinitionListFilter,
      page: Pagination,
    ): Promise<DefinitionSummary[]> {
      const { workspaceId, typeKeys, definitionIds } = filter
      const { limit, after } = page
      if (limit === undefined || typeKeys !== undefined || definitionIds !== undefined) {
        const rows = await listQuery(database.read, access, filter, page).execute()
        return rows.map(toDefinitionSummary)
      }
      // Nearly every list, and every page of the console that names tools.
      if (!coversWorkspace(access, workspaceId)) return []
      const rows = await preparedPage.all({
        userId: access.userId,
        workspaceId,
        lastTime: after?.createdAt ?? -1,
        lastId: (after?.id ?? '') as DefinitionId,
        limit: limit + 1,
      })
      return rows.map(toDefinitionSummary)
    },

    /** Lists all of them, in pages: before each it waits for a turn of the event loop. */
    async listAll(
      access: WorkspaceAccess,
      filter: DefinitionListFilter,
      takeTurn: TakeTurn = () => undefined,
    ): Promise<DefinitionSummary[]> {
      const { workspaceId, definitionIds = [], typeKeys } = filter
      if (!coversWorkspace(access, workspaceId)) return []
      if (definitionIds.length > 1) return this.list(access, filter, ALL_ROWS)
      const params = { userId: access.userId, workspaceId }
      const [id] = definitionIds
      const isRequested = ({ typeKey }: DefinitionSummary) =>
        typeKeys === undefined || typeKeys.includes(typeKey)
      if (id !== undefined)
        return (await preparedLiveById.all({ ...params, id }))
          .map(toDefinitionSummary)
          .filter(isRequested)
      const found: DefinitionSummary[] = []
      let last: DefinitionSummary | undefined
      do {
        await takeTurn()
        const [lastTime, lastId] = [
          last?.createdAt ?? -1,
          last?.definitionId ?? ('' as DefinitionId),
        ]
        const page = (await preparedPage.all({ ...params, lastTime, lastId, limit: PAGE })).map(
          toDefinitionSummary,
        )
        found.push(...page.filter(isRequested))
        last = page.length < PAGE ? undefined : page.at(-1)
      } while (last !== undefined)
      return found
    },

    /** Lists all of them with their specs. */
    async listWithSpecs(
      access: WorkspaceAccess,
      filter: DefinitionListFilter,
    ): Promise<Definition[]> {
      const query = listQuery(database.read, access, filter, ALL_ROWS)
      const rows = await query.select(PINNED_SPEC).execute()
      return rows.map((row) => toDefinition(row))
    },

    /** The categories of a workspace's own live definitions. */
    listTypes: (
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
    ): Promise<{ key: string; name: string }[]> =>
      database.read
        .selectFrom('definitions')
        .select(['type_key as key', 'type_name as name'])
        .distinct()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('deleted_at', 'is', null)
        .execute(),
  }
}

/** Definitions that are read at once. */
const PAGE = 250

interface PageParams {
  readonly lastTime: number
  readonly lastId: DefinitionId
  readonly limit: number
}

interface ListParams {
  readonly userId: UserId
  readonly workspaceId: WorkspaceId
}

function liveDefinitions(db: Kysely<Tables>, param: Param<ListParams>) {
  return selectVisibleDefinitions(db, param('workspaceId'))
    .where(isOwnedWorkspace(param('userId'), param('workspaceId')))
    .where('definitions.deleted_at', 'is', null)
    .orderBy('definitions.created_at')
    .orderBy('definitions.definition_id')
}

function listQuery(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  filter: DefinitionListFilter,
  page: Pagination,
) {
  let query = liveDefinitionsFor(db, access, filter.workspaceId)
    .orderBy('definitions.created_at')
    .orderBy('definitions.definition_id')
  if (filter.typeKeys !== undefined)
    query = query.where('definitions.type_key', 'in', [...filter.typeKeys])
  if (filter.definitionIds !== undefined)
    query = query.where('definitions.definition_id', 'in', [...filter.definitionIds])
  if (page.after !== undefined) {
    const { createdAt, id } = page.after
    query = query.where((eb) =>
      eb(
        eb.refTuple('definitions.created_at', 'definitions.definition_id'),
        '>',
        eb.tuple(createdAt, id as DefinitionId),
      ),
    )
  }
  return page.limit === undefined ? query : query.limit(page.limit + 1)
}
