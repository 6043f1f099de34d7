import { hash } from 'node:crypto'
import type { Runner } from '@linchpin/runner'
import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../auth/caller.ts'
import type { CatalogueStore } from '../catalogue/catalogue-store.ts'
import { type LoadVersionDeps, loadVersion } from '../catalogue/load-version.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { downloadBundle } from '../definitions/download-bundle.ts'
import { loadSpec, specVersion } from '../definitions/spec/load-spec.ts'
import { isCatalogueDefinition } from '../definitions/visible-definitions-store.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import type { CatalogueVersionRow, DefinitionRow } from '../storage/tables.ts'
import { assertMayChangeCode } from './assert-may-change-code.ts'
import type { UpgradeDefinition } from './upgrade-requests.ts'
import type { BundleVersion, VersionStore } from './version-store.ts'

export interface LoadTargetVersionDeps extends LoadVersionDeps {
  readonly database: Database
  readonly catalogue: CatalogueStore
  readonly versions: VersionStore
  readonly definitions: DefinitionStore
  readonly runner: Runner
  readonly baseUrl: () => string
  readonly now: () => number
}

/** A downloaded and validated version that a definition can change to. Not stored yet. */
export interface TargetVersion extends BundleVersion {
  readonly code: Uint8Array
}

/**
 * Loads the requested version: for a catalogue definition a version offered by the catalogue or the registry, for a
 * custom one the current content of `sourceUrl`. Defaults to the latest version.
 *
 * @throws ApiError `insufficient_scope` for a custom definition in use, without `credentials:read`
 * @throws ApiError `unknown_reference`, `validation_failed`, `bundle_changed`; those of downloadBundle and loadSpec
 */
export function loadTargetVersion(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<TargetVersion> {
  return isCatalogueDefinition(row)
    ? loadCatalogueTarget(deps, caller, row, input)
    : loadCustomTarget(deps, caller, row, input)
}

async function loadCatalogueTarget(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<TargetVersion> {
  const offered = await findOfferedVersion(deps, row, input)
  const { version, source_url, bundle_sha256 } = offered
  const tenant = { workspaceId: row.workspace_id, definitionId: row.definition_id }
  const requestedVersion = { version, sourceUrl: source_url, sha256: bundle_sha256 }
  const code = await loadVersion(deps, row.key, requestedVersion, tenant)
  // Compare before anything is executed.
  if (hash('sha256', code) !== bundle_sha256)
    throw await reportBundleChanged(deps, caller, row, version, hash('sha256', code))
  const { json } = await loadSpec(deps.runner, bundle_sha256, code, tenant)
  return { version, source_url, bundle_sha256, spec: json, code }
}

async function findOfferedVersion(
  deps: LoadTargetVersionDeps,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<CatalogueVersionRow> {
  const offered = await deps.catalogue.listVersions(row.definition_id)
  const base = deps.baseUrl()
  const isRequested = ({ version, source_url }: CatalogueVersionRow) =>
    input.sourceUrl == null
      ? version === (input.version ?? row.latest_version)
      : [source_url, base + source_url].includes(input.sourceUrl) &&
        version === (input.version ?? version)
  const match = offered.find(isRequested)
  if (match === undefined) throw unknownReference(input.sourceUrl == null ? 'version' : 'sourceUrl')
  return match
}

async function loadCustomTarget(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<TargetVersion> {
  await assertMayChangeCode(deps.database.read, caller, row, deps.now())
  const tenant = { workspaceId: row.workspace_id, definitionId: row.definition_id }
  const source_url = input.sourceUrl ?? row.source_url
  const code = await downloadBundle(deps.egressGateway, source_url, tenant)
  const bundle_sha256 = hash('sha256', code)
  const previousVersions = [row, ...(await deps.versions.listPreviousVersions(row))]
  const { spec, json } = await loadSpec(deps.runner, bundle_sha256, code, tenant)
  const declaredVersion = specVersion(spec)
  if (declaredVersion !== undefined && input.version != null && declaredVersion !== input.version)
    throw validationFailed(
      fieldError('version', 'other_version', `The bundle declares version ${declaredVersion}.`),
    )
  const version = declaredVersion ?? input.version ?? '0.0.1'
  const isChanged = (other: Omit<BundleVersion, 'spec'>) =>
    other.source_url === source_url &&
    other.version === version &&
    other.bundle_sha256 !== bundle_sha256
  if (previousVersions.some(isChanged))
    throw await reportBundleChanged(deps, caller, row, version, bundle_sha256)
  return { version, source_url, bundle_sha256, spec: json, code }
}

/** Audits the change and returns the error. */
async function reportBundleChanged(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  { workspace_id: workspaceId, definition_id: subject }: DefinitionRow,
  version: string,
  sha256: string,
): Promise<ApiError> {
  const action = 'definition.bundle_changed'
  const event = { action, workspaceId, subject, detail: { version, sha256 } } as const
  await deps.database.transaction((trx) => recordAudit(trx, caller, deps.now(), event))
  return new ApiError(
    'bundle_changed',
    `The bundle of version ${version} has changed. The new bytes were not used.`,
  )
}
