import { compareVersions } from '@linchpin/catalogue'
import { findCategory } from '../definitions/category.ts'
import type { Definition, DefinitionId, DefinitionSummary } from '../definitions/definition.ts'
import type { RecordedVersion } from './catalogue-store.ts'
import {
  getCatalogueDefinitionId,
  isLocalPath,
  type OfferedIntegration,
  type OfferedVersion,
} from './offered-integration.ts'

/** The changes that an offered integration requires in storage. */
export interface SyncPlan {
  readonly integration: OfferedIntegration
  readonly definitionId: DefinitionId
  /** The stored definition; undefined if it is new. */
  readonly row: DefinitionSummary | undefined
  /** The version to change the shared definition to; undefined: no change. */
  readonly targetVersion: OfferedVersion | undefined
  /** Versions that are not stored yet. */
  readonly added: readonly OfferedVersion[]
  /** Stored versions with a new URL, or with a new digest if their bytes were never downloaded. */
  readonly corrected: readonly OfferedVersion[]
  /** Versions whose bytes differ from those known. */
  readonly changed: readonly OfferedVersion[]
  /** The newest version on offer. */
  readonly latest: LatestVersion
}

type LatestVersion = Pick<OfferedVersion, 'version' | 'sourceUrl'>

/**
 * Compares an offered integration with the stored state. A shared definition only changes to a newer version, so that
 * nodes of two releases agree. Versions with changed bytes are ignored.
 */
export function planSync(
  integration: OfferedIntegration,
  row: DefinitionSummary | undefined,
  recorded: readonly RecordedVersion[],
): SyncPlan {
  const recordedByVersion = new Map(recorded.map((each) => [each.version, each]))
  const isChanged = (each: OfferedVersion) =>
    hasDigestConflict(recordedByVersion.get(each.version), each)
  const trusted = integration.versions.filter((each) => !isChanged(each))
  const [newest] = trusted
  const isNewer =
    newest !== undefined && (row === undefined || compareVersions(newest.version, row.version) > 0)
  return {
    integration,
    definitionId: getCatalogueDefinitionId(integration.key),
    row,
    targetVersion: isNewer ? newest : undefined,
    added: trusted.filter(({ version }) => !recordedByVersion.has(version)),
    corrected: trusted.filter((each) => isCorrected(recordedByVersion.get(each.version), each)),
    changed: integration.versions.filter(isChanged),
    latest: resolveLatest(integration, row, recorded, trusted),
  }
}

/** A digest may be corrected unless the bytes were downloaded. A bundled digest takes precedence over a registry's. */
function hasDigestConflict(
  recorded: RecordedVersion | undefined,
  { sha256, sourceUrl }: OfferedVersion,
): boolean {
  if (recorded === undefined || recorded.bundleSha256 === sha256) return false
  return recorded.isStored || (isLocalPath(recorded.sourceUrl) && !isLocalPath(sourceUrl))
}

function isCorrected(
  recorded: RecordedVersion | undefined,
  { sha256, sourceUrl }: OfferedVersion,
): boolean {
  if (recorded === undefined) return false
  const hasNewUrl = recorded.sourceUrl !== sourceUrl && !isLocalPath(recorded.sourceUrl)
  return hasNewUrl || recorded.bundleSha256 !== sha256
}

/**
 * If a registry withdraws a version, the newest bundled version or the newest remaining one becomes the latest. The
 * bundled catalogue does not withdraw versions of a registry. Among equal versions the first has the preferred URL.
 */
function resolveLatest(
  { versions }: OfferedIntegration,
  row: DefinitionSummary | undefined,
  recorded: readonly RecordedVersion[],
  trusted: readonly OfferedVersion[],
): LatestVersion {
  const current: LatestVersion | undefined = row && {
    version: row.latestVersion ?? row.version,
    sourceUrl: row.latestSourceUrl ?? row.sourceUrl,
  }
  const offeredVersions = new Set(versions.map(({ version }) => version))
  const recordedVersions = recorded.map(({ version, sourceUrl }) => ({ version, sourceUrl }))
  const candidates = isLocalPath(versions[0]?.sourceUrl)
    ? [...trusted, ...(current ? [current] : [])]
    : [
        ...recordedVersions.filter(({ sourceUrl }) => isLocalPath(sourceUrl)),
        ...trusted,
        ...recordedVersions.filter(({ version }) => offeredVersions.has(version)),
      ]
  const [latest = current] = candidates.toSorted((one, other) =>
    compareVersions(other.version, one.version),
  )
  return latest ?? { version: '0.0.0', sourceUrl: '' }
}

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
