import type { Spec } from '@linchpin/runner'
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database, Param } from '../../platform/storage/database.ts'
import { CATALOGUE_WORKSPACE_ID, isId } from '../../platform/storage/id.ts'
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

/**
 * Creates a function that finds a live definition that is visible to the workspace, by its id or its key, in a transaction or
 * outside. Keys are resolved outside.
 */
export function createFindLiveDefinition(database: Database, findIdByKey: FindDefinitionIdByKey) {
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

/** Finds the live definition with a key in a workspace: its own, else that of the catalogue. */
type FindDefinitionIdByKey = (
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  key: string,
) => Promise<DefinitionId | undefined>

/** Creates such a function. */
export function createFindDefinitionIdByKey(database: Database): FindDefinitionIdByKey {
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
