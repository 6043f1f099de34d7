import { compareVersions } from '@linchpin/catalogue'
import { catalogueDefinitionId } from './catalogue-definition-id.ts'
import type { CatalogueDefinitionRow, RecordedVersion } from './catalogue-store.ts'
import { isLocalPath, type OfferedIntegration, type OfferedVersion } from './offered-integration.ts'

/** What an offer changes in storage. */
export interface SyncPlan {
  readonly integration: OfferedIntegration
  readonly definitionId: string
  /** The shared definition as it is; undefined: there is none yet. */
  readonly row: CatalogueDefinitionRow | undefined
  /** The version that the shared definition moves to; undefined: it stays. */
  readonly targetVersion: OfferedVersion | undefined
  /** Versions that nobody knew. */
  readonly added: readonly OfferedVersion[]
  /** Known versions that are now told with another address, or with another digest while their bytes were never had. */
  readonly corrected: readonly OfferedVersion[]
  /** Versions whose bytes are other ones than were known. */
  readonly changed: readonly OfferedVersion[]
  /** The newest version that is offered now. */
  readonly latest: LatestVersion
}

type LatestVersion = Pick<OfferedVersion, 'version' | 'sourceUrl'>

/**
 * Compares an offer with what is there. A shared definition only ever moves to a newer version, so that nodes of two releases
 * agree; a version whose bytes have changed counts for nothing.
 */
export function planSync(
  integration: OfferedIntegration,
  row: CatalogueDefinitionRow | undefined,
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
    definitionId: catalogueDefinitionId(integration.key),
    row,
    targetVersion: isNewer ? newest : undefined,
    added: trusted.filter(({ version }) => !recordedByVersion.has(version)),
    corrected: trusted.filter((each) => isCorrected(recordedByVersion.get(each.version), each)),
    changed: integration.versions.filter(isChanged),
    latest: resolveLatest(integration, row, recorded, trusted),
  }
}

/** A digest that was told wrongly may be told anew; one whose bytes were had stands, and ours before that of a registry. */
function hasDigestConflict(
  recorded: RecordedVersion | undefined,
  { sha256, sourceUrl }: OfferedVersion,
): boolean {
  if (recorded === undefined || recorded.bundle_sha256 === sha256) return false
  return (
    recorded.kept_sha256 !== null || (isLocalPath(recorded.source_url) && !isLocalPath(sourceUrl))
  )
}

function isCorrected(
  recorded: RecordedVersion | undefined,
  { sha256, sourceUrl }: OfferedVersion,
): boolean {
  if (recorded === undefined) return false
  const hasNewUrl = recorded.source_url !== sourceUrl && !isLocalPath(recorded.source_url)
  return hasNewUrl || recorded.bundle_sha256 !== sha256
}

/**
 * A registry that takes a version back offers it no more; then what comes with us, or what else the registry has, is the
 * newest. What comes with us says nothing about versions of a registry. First come those whose address is the one to tell.
 */
function resolveLatest(
  { versions }: OfferedIntegration,
  row: CatalogueDefinitionRow | undefined,
  recorded: readonly RecordedVersion[],
  trusted: readonly OfferedVersion[],
): LatestVersion {
  const current: LatestVersion | undefined = row && {
    version: row.latest_version ?? row.version,
    sourceUrl: row.latest_source_url ?? row.source_url,
  }
  const offeredVersions = new Set(versions.map(({ version }) => version))
  const recordedVersions = recorded.map(({ version, source_url }) => ({
    version,
    sourceUrl: source_url,
  }))
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
