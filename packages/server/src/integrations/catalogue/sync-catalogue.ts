import { compareVersions } from '@linchpin/catalogue'
import type { Log } from '../../platform/http/log.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { CATALOGUE_USER_ID, CATALOGUE_WORKSPACE_ID } from '../../platform/storage/id.ts'
import type { BundleStore } from '../definitions/bundle-store.ts'
import { findCategory } from '../definitions/category.ts'
import type { Definition, DefinitionId, DefinitionSummary } from '../definitions/definition.ts'
import type { CatalogueStore, CatalogueVersion, RecordedVersion } from './catalogue-store.ts'
import {
  DigestMismatchError,
  getCatalogueDefinitionId,
  isLocalPath,
  type LoadedVersion,
  type OfferedIntegration,
  type OfferedVersion,
} from './offered-integration.ts'
import { markUpdateDue, pinActiveWorkspaces } from './workspace-pins-store.ts'

export interface SyncDeps {
  readonly database: Database
  readonly bundles: BundleStore
  readonly catalogue: CatalogueStore
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The result of a sync. */
export interface SyncResult {
  /** Definitions that were added or changed to a newer version. */
  readonly moved: number
  /** Definitions whose newest bundle could not be loaded. They are unchanged. */
  readonly failed: number
  /** Versions whose bytes differ from those known. They are reported and never executed. */
  readonly changed: number
}

/**
 * Stores the offered integrations for all workspaces. Before a definition changes to a newer version, every workspace with
 * live accounts of it is pinned to its current version, so that no code in use changes without an explicit upgrade.
 */
export async function syncCatalogue(
  deps: SyncDeps,
  integrations: readonly OfferedIntegration[],
): Promise<SyncResult> {
  const [rows, recorded] = await Promise.all([
    deps.catalogue.listDefinitions(),
    deps.catalogue.listVersions(),
  ])
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const versions = Map.groupBy(recorded, ({ definitionId }) => definitionId)
  const plans = integrations.map((integration) => {
    const row = byKey.get(integration.key)
    const recordedVersions = row === undefined ? undefined : versions.get(row.definitionId)
    return planSync(integration, row, recordedVersions ?? [])
  })
  const pending = plans.filter(hasChanges)
  const result = { moved: 0, failed: 0, changed: 0 }
  for (let start = 0; start < pending.length; start += BATCH_SIZE) {
    const batch = await Promise.all(
      pending.slice(start, start + BATCH_SIZE).map((plan) => loadBundle(deps, plan)),
    )
    await deps.database.transaction((trx) => saveBatch(deps, trx, batch), { serializable: true })
    for (const { plan, loaded, changed } of batch) {
      result.changed += changed.length
      if (loaded !== undefined) result.moved += 1
      else if (plan.targetVersion !== undefined) result.failed += 1
    }
  }
  return result
}

/** Maximum number of bundles in memory at the same time. */
const BATCH_SIZE = 40

interface LoadedPlan {
  readonly plan: SyncPlan
  /** The bundle to change to; undefined if there is none or it could not be loaded. */
  readonly loaded: LoadedVersion | undefined
  /** Versions to report: their bytes differ from those known or from their digest. */
  readonly changed: readonly OfferedVersion[]
}

function hasChanges({
  integration,
  row,
  targetVersion,
  added,
  corrected,
  changed,
  latest,
}: SyncPlan): boolean {
  return (
    targetVersion !== undefined ||
    added.length + corrected.length + changed.length > 0 ||
    latest.version !== row?.latestVersion ||
    latest.sourceUrl !== row.latestSourceUrl ||
    !hasCurrentMetadata(row, integration)
  )
}

async function loadBundle(deps: SyncDeps, plan: SyncPlan): Promise<LoadedPlan> {
  const { targetVersion, integration, changed } = plan
  if (targetVersion === undefined) return { plan, loaded: undefined, changed }
  try {
    return { plan, loaded: await integration.load(targetVersion), changed }
  } catch (error) {
    const logContext = { err: error, key: integration.key, version: targetVersion.version }
    deps.log.warn(logContext, 'an integration could not be loaded')
    const mismatched =
      error instanceof DigestMismatchError ? [{ ...targetVersion, sha256: error.sha256 }] : []
    return { plan, loaded: undefined, changed: [...changed, ...mismatched] }
  }
}

async function saveBatch(
  deps: SyncDeps,
  trx: Transaction,
  batch: readonly LoadedPlan[],
): Promise<void> {
  await deps.catalogue.ensureOwner(trx, deps.now())
  for (const { plan, loaded, changed } of batch) {
    await saveDefinition(deps, trx, plan, loaded)
    const { definitionId, row, added, corrected } = plan
    if (row !== undefined || loaded !== undefined)
      for (const each of added)
        await deps.catalogue.insertVersion(trx, toCatalogueVersion(definitionId, each))
    for (const each of corrected)
      await deps.catalogue.updateVersion(trx, toCatalogueVersion(definitionId, each))
    for (const version of changed) await reportChangedBundle(deps, trx, plan, version)
  }
}

function toCatalogueVersion(
  definitionId: DefinitionId,
  { version, sourceUrl, sha256 }: OfferedVersion,
): CatalogueVersion {
  return { definitionId, version, sourceUrl, bundleSha256: sha256 }
}

async function saveDefinition(
  deps: SyncDeps,
  trx: Transaction,
  { definitionId, integration, row, targetVersion, latest }: SyncPlan,
  loaded: LoadedVersion | undefined,
): Promise<void> {
  const now = deps.now()
  const bundleVersion = targetVersion && loaded && toBundleVersion(targetVersion, loaded)
  if (targetVersion && loaded) await deps.bundles.save(trx, targetVersion.sha256, loaded.code, now)
  const metadata = {
    ...resolveMetadata(integration, row),
    latestVersion: latest.version,
    latestSourceUrl: latest.sourceUrl,
  }
  const ids = { definitionId, workspaceId: CATALOGUE_WORKSPACE_ID, key: integration.key }
  const times = { createdAt: now, updatedAt: now, deletedAt: null }
  if (row === undefined) {
    if (bundleVersion !== undefined)
      await deps.catalogue.insert(trx, { ...ids, ...metadata, ...bundleVersion, ...times })
    return
  }
  const isUnchanged = Object.entries(metadata).every(
    ([name, value]) => row[name as keyof DefinitionMetadata] === value,
  )
  if (bundleVersion === undefined && isUnchanged) return
  if (bundleVersion !== undefined) await pinActiveWorkspaces(trx, definitionId)
  await deps.catalogue.update(trx, row, { ...metadata, ...bundleVersion, updatedAt: now })
  if (row.latestVersion !== latest.version) await markUpdateDue(trx, definitionId, latest.version)
}

function toBundleVersion({ version, sourceUrl, sha256 }: OfferedVersion, { spec }: LoadedVersion) {
  return { version, sourceUrl, bundleSha256: sha256, specJson: spec }
}

/** Audits each digest once. */
async function reportChangedBundle(
  deps: SyncDeps,
  trx: Transaction,
  { definitionId, integration }: SyncPlan,
  { version, sha256 }: OfferedVersion,
): Promise<void> {
  const detail = { version, sha256 }
  deps.log.warn({ key: integration.key, ...detail }, 'the bundle of a known version has changed')
  if (await deps.catalogue.hasAuditEvent(trx, definitionId, JSON.stringify(detail))) return
  const actor = {
    userId: CATALOGUE_USER_ID,
    tokenId: null,
    requestId: 'catalogue',
    ...({ kind: 'system', via: 'background' } as const),
  }
  await record(trx, actor, deps.now(), {
    action: 'definition.bundle_changed',
    workspaceId: CATALOGUE_WORKSPACE_ID,
    subject: definitionId,
    detail,
  })
}

/** The changes that an offered integration requires in storage. */
interface SyncPlan {
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
function planSync(
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
type DefinitionMetadata = Pick<
  Definition,
  'name' | 'icon' | 'releaseStage' | 'typeKey' | 'typeName'
>

/**
 * Resolves the description of a definition: the source of the newest version describes it, and for equal versions the
 * bundled catalogue. A bundled icon is never replaced by a remote URL, which connect pages could not show.
 */
function resolveMetadata(
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
function hasCurrentMetadata(
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
