import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { CATALOGUE_WORKSPACE_ID } from '../storage/catalogue-owner.ts'
import type { DefinitionRow, Tables } from '../storage/tables.ts'

/**
 * The definitions that are visible to a workspace: its own, and those of the catalogue at the version that the workspace
 * has pinned, or the current one. Only this file and the catalogue know about pins: rows carry the `workspace_id` of the
 * requesting workspace. Specs are not selected: add PINNED_SPEC.
 */
export function visibleDefinitions(db: Kysely<Tables>, workspaceId: string) {
  return db
    .selectFrom('definitions')
    .leftJoin('definition_pins', (join) =>
      join
        .onRef('definition_pins.definition_id', '=', 'definitions.definition_id')
        .on('definition_pins.workspace_id', '=', workspaceId),
    )
    .where('definitions.workspace_id', 'in', [workspaceId, CATALOGUE_WORKSPACE_ID])
    .select(UNPINNED_COLUMNS)
    .select(PINNED_COLUMNS)
    .select(sql<string>`${workspaceId}`.as('workspace_id'))
}

/** Columns that a pin does not override. */
export const UNPINNED_COLUMNS = [
  'definitions.definition_id',
  'definitions.key',
  'definitions.name',
  'definitions.icon',
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
  pinnedOrCurrent('version').as('version'),
  pinnedOrCurrent('source_url').as('source_url'),
  pinnedOrCurrent('bundle_sha256').as('bundle_sha256'),
  sql<number>`coalesce(definition_pins.updated_at, definitions.updated_at)`.as('updated_at'),
] as const

/** Selected only where it is needed, because specs may be large. */
export const PINNED_SPEC = pinnedOrCurrent('spec').as('spec')

/** Whether a row belongs to the catalogue. */
export function isCatalogueRow(): Expression<SqlBool> {
  return sql<SqlBool>`definitions.workspace_id = ${sql.lit(CATALOGUE_WORKSPACE_ID)}`
}

/** Whether a definition belongs to the catalogue. Custom definitions have no separate latest version. */
export function isCatalogueDefinition({
  latest_version,
}: Pick<DefinitionRow, 'latest_version'>): boolean {
  return latest_version !== null
}

function pinnedOrCurrent(column: 'version' | 'source_url' | 'bundle_sha256' | 'spec') {
  return sql<string>`coalesce(${sql.ref(`definition_pins.${column}`)}, ${sql.ref(`definitions.${column}`)})`
}
