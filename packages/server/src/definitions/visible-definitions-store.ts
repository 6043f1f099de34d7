import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { CATALOGUE_WORKSPACE_ID } from '../storage/catalogue-owner.ts'
import type { DefinitionRow, Tables } from '../storage/tables.ts'

/**
 * The definitions that a workspace sees: its own, and those of the catalogue as it runs them. A row of the catalogue is
 * shared by all; where a workspace has pinned a version, that one shows through. Nothing else in the service knows of this:
 * rows carry the workspace that asks. Without specs: add PINNED_SPEC.
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

/** What a pin does not change. */
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

/** What a pin sets. */
export const PINNED_COLUMNS = [
  pinnedOrCurrent('version').as('version'),
  pinnedOrCurrent('source_url').as('source_url'),
  pinnedOrCurrent('bundle_sha256').as('bundle_sha256'),
  sql<number>`coalesce(definition_pins.updated_at, definitions.updated_at)`.as('updated_at'),
] as const

/** A spec may be large: it is read where it is needed. */
export const PINNED_SPEC = pinnedOrCurrent('spec').as('spec')

/** Whether a row is the catalogue's. */
export function isCatalogueRow(): Expression<SqlBool> {
  return sql<SqlBool>`definitions.workspace_id = ${sql.lit(CATALOGUE_WORKSPACE_ID)}`
}

/** Whether a workspace shares it with all others. Custom ones have no latest version but their own. */
export function isCatalogueDefinition({
  latest_version,
}: Pick<DefinitionRow, 'latest_version'>): boolean {
  return latest_version !== null
}

function pinnedOrCurrent(column: 'version' | 'source_url' | 'bundle_sha256' | 'spec') {
  return sql<string>`coalesce(${sql.ref(`definition_pins.${column}`)}, ${sql.ref(`definitions.${column}`)})`
}
