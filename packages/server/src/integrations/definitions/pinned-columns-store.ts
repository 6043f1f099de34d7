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

/** Selected only where they are needed, because specs may be large. */
export const PINNED_SPEC = [
  selectPinnedOrCurrent('spec').as('spec'),
  // A pin without a checksum must not get that of the current version.
  sql<number | null>`case when definition_pins.definition_id is null
    then definitions.row_checksum else definition_pins.row_checksum end`.as('row_checksum'),
] as const

function selectPinnedOrCurrent(column: 'version' | 'source_url' | 'bundle_sha256' | 'spec') {
  return sql<string>`coalesce(${sql.ref(`definition_pins.${column}`)}, ${sql.ref(`definitions.${column}`)})`
}
