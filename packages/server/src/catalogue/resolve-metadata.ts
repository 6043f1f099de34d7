import { compareVersions } from '@linchpin/catalogue'
import { findCategory } from '../definitions/category.ts'
import type { Definition, DefinitionSummary } from '../definitions/definition.ts'
import { isLocalPath, type OfferedIntegration } from './offered-integration.ts'

/** The description of a definition, without its versions. */
export type DefinitionMetadata = Pick<
  Definition,
  'name' | 'icon' | 'releaseStage' | 'typeKey' | 'typeName'
>

/**
 * Resolves the description of a definition: the source of the newest version describes it, and for equal versions the
 * bundled catalogue. A bundled icon is never replaced by a remote URL, which connect pages could not show.
 */
export function resolveMetadata(
  integration: OfferedIntegration,
  row: DefinitionSummary | undefined,
): DefinitionMetadata {
  if (row === undefined) return toMetadata(integration)
  const { name, icon, releaseStage, typeKey, typeName } = row
  if (!isAuthoritative(integration, row)) return { name, icon, releaseStage, typeKey, typeName }
  const metadata = toMetadata(integration)
  return isLocalPath(icon) && !isLocalPath(metadata.icon) ? { ...metadata, icon } : metadata
}

/** Whether the stored description equals the resolved one. */
export function hasCurrentMetadata(
  row: DefinitionSummary | undefined,
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
  { version, latestVersion, latestSourceUrl }: DefinitionSummary,
): boolean {
  if (newest === undefined) return false
  const order = compareVersions(newest.version, latestVersion ?? version)
  return (
    order > 0 || (order === 0 && (isLocalPath(newest.sourceUrl) || !isLocalPath(latestSourceUrl)))
  )
}

function toMetadata({ name, icon, stage, category }: OfferedIntegration): DefinitionMetadata {
  const typeName = findCategory(category)?.name ?? category
  return { name, icon, releaseStage: stage, typeKey: category, typeName }
}
