import { compareVersions } from '@linchpin/catalogue'
import { findCategory } from '../definitions/category.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import type { CatalogueDefinitionRow } from './catalogue-store.ts'
import { isLocalPath, type OfferedIntegration } from './offered-integration.ts'

/** The description of a definition, without its versions. */
export type DefinitionMetadata = Pick<
  DefinitionRow,
  'name' | 'icon' | 'release_stage' | 'type_key' | 'type_name'
>

/**
 * Resolves the description of a definition: the source of the newest version describes it, and for equal versions the
 * bundled catalogue. A bundled icon is never replaced by a remote URL, which connect pages could not show.
 */
export function resolveMetadata(
  integration: OfferedIntegration,
  row: CatalogueDefinitionRow | undefined,
): DefinitionMetadata {
  if (row === undefined) return toMetadata(integration)
  const { name, icon, release_stage, type_key, type_name } = row
  if (!isAuthoritative(integration, row)) return { name, icon, release_stage, type_key, type_name }
  const metadata = toMetadata(integration)
  return isLocalPath(icon) && !isLocalPath(metadata.icon) ? { ...metadata, icon } : metadata
}

/** Whether the stored description equals the resolved one. */
export function hasCurrentMetadata(
  row: CatalogueDefinitionRow | undefined,
  integration: OfferedIntegration,
): boolean {
  const metadata = Object.entries(resolveMetadata(integration, row))
  return (
    row !== undefined &&
    metadata.every(([name, value]) => row[name as keyof DefinitionMetadata] === value)
  )
}

function isAuthoritative(
  { versions: [newest] }: OfferedIntegration,
  { version, latest_version, latest_source_url }: CatalogueDefinitionRow,
): boolean {
  if (newest === undefined) return false
  const order = compareVersions(newest.version, latest_version ?? version)
  return (
    order > 0 || (order === 0 && (isLocalPath(newest.sourceUrl) || !isLocalPath(latest_source_url)))
  )
}

function toMetadata({ name, icon, stage, category }: OfferedIntegration): DefinitionMetadata {
  const type_name = findCategory(category)?.name ?? category
  return { name, icon, release_stage: stage, type_key: category, type_name }
}
