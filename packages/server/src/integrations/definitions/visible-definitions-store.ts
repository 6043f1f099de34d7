import type { Spec } from '@linchpin/runner'
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { ALL_ROWS, type Pagination, type TakeTurn } from '../../platform/http/pagination.ts'
import type { Database, Param } from '../../platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID, isId } from '../../platform/storage/id.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { DefinitionRow, Tables } from '../../platform/storage/tables.ts'
import type {
  Definition,
  DefinitionId,
  DefinitionReference,
  DefinitionSummary,
} from './definition.ts'

/**
 * The definitions that are visible to a workspace: its own, and those of the catalogue at the version that the workspace
 * has pinned, or the current one, with the icon that the workspace has set. Only this file and the catalogue know about pins: rows carry the `workspace_id` of the
 * requesting workspace. Specs are not selected: add PINNED_SPEC.
 */
export function selectVisibleDefinitions(
  db: Kysely<Tables>,
  workspaceId: WorkspaceId | Expression<WorkspaceId>,
) {
  return db
    .selectFrom('definitions')
    .leftJoin('definition_pins', (join) =>
      join
        .onRef('definition_pins.definition_id', '=', 'definitions.definition_id')
        .on('definition_pins.workspace_id', '=', workspaceId),
    )
    .leftJoin('definition_icons', (join) =>
      join
        .onRef('definition_icons.definition_id', '=', 'definitions.definition_id')
        .on('definition_icons.workspace_id', '=', workspaceId),
    )
    .where('definitions.workspace_id', 'in', [workspaceId, CATALOGUE_WORKSPACE_ID])
    .select(UNPINNED_COLUMNS)
    .select(PINNED_COLUMNS)
    .select(sql<WorkspaceId>`${workspaceId}`.as('workspace_id'))
}

/**
 * A text that changes with each commit that changes a definition, pin, icon or OAuth app that the workspace can see, by any node:
 * what was made of them at one epoch is valid while it lasts. Read it before them or in the same statement, never after.
 */
export function selectDefinitionEpoch(workspaceId: Expression<WorkspaceId>) {
  const epochOf = (id: Expression<unknown>) =>
    sql`coalesce((select epoch from definition_epochs where workspace_id = ${id}), '')`
  return sql<string>`${epochOf(sql.lit(CATALOGUE_WORKSPACE_ID))} || ' ' || ${epochOf(workspaceId)}`
}

/** The live ones among them, if the caller can access the workspace. */
export function liveDefinitionsFor(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
) {
  return selectVisibleDefinitions(db, workspaceId)
    .where(isAccessibleWorkspace(access, workspaceId))
    .where('definitions.deleted_at', 'is', null)
}

/** The finders of a store of definitions. */
export function createDefinitionFinders(database: Database) {
  const findIdByKey = createFindIdByKey(database)
  return {
    find: createFind(database),
    findLive: createFindLive(database, findIdByKey),
    findIdByKey,
  }
}

/**
 * Creates a function that finds a live or deleted definition. A catalogue definition is resolved for `workspaceId`, otherwise for the
 * workspace that the caller is bound to, otherwise for the caller's oldest workspace.
 */
function createFind(database: Database) {
  const prepared = database.prepare(
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
  return async (
    access: WorkspaceAccess,
    definitionId: DefinitionId,
    workspaceId: WorkspaceId | null = access.boundWorkspaceId,
  ): Promise<Definition | undefined> => {
    const { userId } = access
    const row = await prepared.first({ id: definitionId, userId, workspaceId })
    return row !== undefined && coversWorkspace(access, row.workspace_id)
      ? toDefinition(row)
      : undefined
  }
}

interface FindParams {
  readonly id: DefinitionId
  readonly userId: UserId
  readonly workspaceId: WorkspaceId | null
}

/**
 * Creates a function that finds a live definition that is visible to the workspace, by its id or its key, in a transaction or
 * outside. Keys are resolved outside.
 */
function createFindLive(database: Database, findIdByKey: FindIdByKey) {
  const prepared = database.prepare(
    (db, param: Param<FindLiveParams>) =>
      selectVisibleDefinitions(db, param('workspaceId'))
        .select(PINNED_SPEC)
        .where('definitions.definition_id', '=', param('id'))
        .where('definitions.deleted_at', 'is', null)
        .where(isOwnedWorkspace(param('userId'), param('workspaceId'))),
    { id: 'text', userId: 'text', workspaceId: 'text' },
  )
  return async (
    db: Kysely<Tables>,
    access: WorkspaceAccess,
    workspaceId: WorkspaceId,
    reference: DefinitionReference,
  ): Promise<Definition | undefined> => {
    const id = isId('def', reference)
      ? reference
      : await findIdByKey(access, workspaceId, reference)
    if (id === undefined) return undefined
    if (db !== database.read) return findLiveInTransaction(db, access, workspaceId, id)
    if (!coversWorkspace(access, workspaceId)) return undefined
    const row = await prepared.first({ id, userId: access.userId, workspaceId })
    return row && toDefinition(row)
  }
}

interface FindLiveParams {
  readonly id: DefinitionId
  readonly userId: UserId
  readonly workspaceId: WorkspaceId
}

async function findLiveInTransaction(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  definitionId: DefinitionId,
): Promise<Definition | undefined> {
  const row = await liveDefinitionsFor(db, access, workspaceId)
    .select(PINNED_SPEC)
    .where('definitions.definition_id', '=', definitionId)
    .executeTakeFirst()
  return row && toDefinition(row)
}

/** Finds the live definition with a key in a workspace: its own, else that of the catalogue. */
type FindIdByKey = (
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  key: string,
) => Promise<DefinitionId | undefined>

/** Creates such a function. */
function createFindIdByKey(database: Database): FindIdByKey {
  const prepared = database.prepare(
    (db, param: Param<FindByKeyParams>) =>
      db
        .selectFrom('definitions')
        .select(['definition_id', 'workspace_id'])
        .where('workspace_id', 'in', [param('workspaceId'), CATALOGUE_WORKSPACE_ID])
        .where('key', '=', param('key'))
        .where('deleted_at', 'is', null)
        .where(isOwnedWorkspace(param('userId'), param('workspaceId'))),
    { key: 'text', workspaceId: 'text', userId: 'text' },
  )
  return async (access, workspaceId, key) => {
    if (!KEY.test(key) || !coversWorkspace(access, workspaceId)) return undefined
    const rows = await prepared.all({ key, workspaceId, userId: access.userId })
    const own = rows.find((row) => row.workspace_id === workspaceId)
    return (own ?? rows[0])?.definition_id
  }
}

interface FindByKeyParams {
  readonly key: string
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
}

const KEY = /^[\w.-]{1,255}$/

/** Filters the definitions of a workspace. */
export interface DefinitionListFilter {
  readonly workspaceId: WorkspaceId
  readonly typeKeys?: readonly string[] | undefined
  readonly definitionIds?: readonly DefinitionId[] | undefined
}

/** The order of lists. */
const ORDER = ['definitions.created_at', 'definitions.definition_id'] as const

/** Lists the live definitions that a workspace sees, in the workspaces that the caller can access. */
export function createDefinitionLists(database: Database) {
  const preparedPage = database.prepare((db, param: Param<ListParams & PageParams>) =>
    liveDefinitions(db, param)
      .where(isAfter(ORDER, { createdAt: param('lastTime'), id: param('lastId') }))
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
  if (page.after !== undefined) query = query.where(isAfter(ORDER, page.after))
  return page.limit === undefined ? query : query.limit(page.limit + 1)
}

/** Whether a row belongs to the catalogue. */
export function isCatalogueRow(): Expression<SqlBool> {
  return sql<SqlBool>`definitions.workspace_id = ${sql.lit(CATALOGUE_WORKSPACE_ID)}`
}

/** The definition of a selected row, without its spec. */
export function toDefinitionSummary(row: Omit<DefinitionRow, 'spec'>): DefinitionSummary {
  return {
    definitionId: row.definition_id,
    workspaceId: row.workspace_id,
    key: row.key,
    name: row.name,
    icon: row.icon,
    version: row.version,
    releaseStage: row.release_stage,
    typeKey: row.type_key,
    typeName: row.type_name,
    sourceUrl: row.source_url,
    bundleSha256: row.bundle_sha256,
    latestVersion: row.latest_version,
    latestSourceUrl: row.latest_source_url,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  }
}

/** The definition of a row. */
export function toDefinition(row: DefinitionRow): Definition {
  return withSpec(toDefinitionSummary(row), row.spec)
}

/** A definition with this spec. */
export function withSpec(summary: DefinitionSummary, specJson: string): Definition {
  let spec: Spec | undefined
  return {
    ...summary,
    specJson,
    get spec() {
      spec ??= JSON.parse(specJson) as Spec
      return spec
    },
  }
}

/** Columns that a pin does not override. */
export const UNPINNED_COLUMNS = [
  'definitions.definition_id',
  'definitions.key',
  'definitions.name',
  sql<string>`coalesce(definition_icons.path, definitions.icon)`.as('icon'),
  'definitions.release_stage',
  'definitions.type_key',
  'definitions.type_name',
  'definitions.created_at',
  'definitions.deleted_at',
  'definitions.latest_version',
  'definitions.latest_source_url',
] as const

/** Columns that a pin overrides. */
export const PINNED_COLUMNS = [
  selectPinnedOrCurrent('version').as('version'),
  selectPinnedOrCurrent('source_url').as('source_url'),
  selectPinnedOrCurrent('bundle_sha256').as('bundle_sha256'),
  sql<number>`coalesce(definition_pins.updated_at, definitions.updated_at)`.as('updated_at'),
] as const

/** Selected only where it is needed, because specs may be large. */
export const PINNED_SPEC = selectPinnedOrCurrent('spec').as('spec')

function selectPinnedOrCurrent(column: 'version' | 'source_url' | 'bundle_sha256' | 'spec') {
  return sql<string>`coalesce(${sql.ref(`definition_pins.${column}`)}, ${sql.ref(`definitions.${column}`)})`
}
