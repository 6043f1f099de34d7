import { sql } from 'kysely'

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
