import { hash } from 'node:crypto'
import type { Runner } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import type {
  CatalogueStore,
  CatalogueVersion,
} from '../../integrations/catalogue/catalogue-store.ts'
import { type LoadVersionDeps, loadVersion } from '../../integrations/catalogue/load-version.ts'
import {
  type Definition,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import type { BundleVersion } from '../../integrations/definitions/definition-version-store.ts'
import { getSpecVersion, loadSpec } from '../../integrations/definitions/spec/load-spec.ts'
import {
  getBundleFieldName,
  isUploaded,
  loadBundle,
} from '../../integrations/definitions/uploaded-bundle.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { UpgradeDefinitionRequest } from './schemas.ts'
import { assertMayChangeCode } from './set-version.ts'
import type { VersionDigest, VersionStore } from './version-store.ts'

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
 * custom one the current content of `sourceUrl`, or the bundle in the request. Defaults to the latest version.
 *
 * @throws ApiError `insufficient_scope` for a custom definition in use, without `credentials:read`
 * @throws ApiError `unknown_reference`, `validation_failed`, `bundle_changed`; those of downloadBundle and loadSpec
 */
export function loadTargetVersion(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  input: UpgradeDefinitionRequest,
): Promise<TargetVersion> {
  return isCatalogueDefinition(row)
    ? loadCatalogueTarget(deps, caller, row, input)
    : loadCustomTarget(deps, caller, row, input)
}

async function loadCatalogueTarget(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  input: UpgradeDefinitionRequest,
): Promise<TargetVersion> {
  if (input.bundle != null)
    throw validationFailed(
      fieldError('bundle', 'unexpected', 'Versions of a catalogue definition are not uploaded.'),
    )
  const offered = await findOfferedVersion(deps, row, input)
  const { version, sourceUrl, bundleSha256 } = offered
  const tenant = { workspaceId: row.workspaceId, definitionId: row.definitionId }
  const requestedVersion = { version, sourceUrl, sha256: bundleSha256 }
  const code = await loadVersion(deps, row.key, requestedVersion, tenant)
  // Compare before anything is executed.
  if (hash('sha256', code) !== bundleSha256)
    throw await reportBundleChanged(deps, caller, row, version, hash('sha256', code))
  const { json } = await loadSpec(deps.runner, bundleSha256, code, tenant)
  return { version, sourceUrl, bundleSha256, specJson: json, code }
}

async function findOfferedVersion(
  deps: LoadTargetVersionDeps,
  row: Definition,
  input: UpgradeDefinitionRequest,
): Promise<CatalogueVersion> {
  const offered = await deps.catalogue.listVersions(row.definitionId)
  const base = deps.baseUrl()
  const isRequested = ({ version, sourceUrl }: CatalogueVersion) =>
    input.sourceUrl == null
      ? version === (input.version ?? row.latestVersion)
      : [sourceUrl, base + sourceUrl].includes(input.sourceUrl) &&
        version === (input.version ?? version)
  const match = offered.find(isRequested)
  if (match === undefined) throw unknownReference(input.sourceUrl == null ? 'version' : 'sourceUrl')
  return match
}

async function loadCustomTarget(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  input: UpgradeDefinitionRequest,
): Promise<TargetVersion> {
  await assertMayChangeCode(deps.database.read, caller, row, deps.now())
  const tenant = { workspaceId: row.workspaceId, definitionId: row.definitionId }
  if (input.bundle == null && input.sourceUrl == null && isUploaded(row.sourceUrl))
    throw validationFailed(
      fieldError('bundle', 'required', 'The current bundle was uploaded: send the new one.'),
    )
  const source = input.bundle == null ? { sourceUrl: input.sourceUrl ?? row.sourceUrl } : input
  const { code, sourceUrl } = await loadBundle(deps, source, tenant)
  const bundleSha256 = hash('sha256', code)
  const previousVersions = [row, ...(await deps.versions.listPreviousVersions(row))]
  const { spec, json } = await loadSpec(
    deps.runner,
    bundleSha256,
    code,
    tenant,
    getBundleFieldName(input),
  )
  const declaredVersion = getSpecVersion(spec)
  if (declaredVersion !== undefined && input.version != null && declaredVersion !== input.version)
    throw validationFailed(
      fieldError('version', 'other_version', `The bundle declares version ${declaredVersion}.`),
    )
  const version = declaredVersion ?? input.version ?? '0.0.1'
  const isChanged = (other: VersionDigest) =>
    (other.sourceUrl === sourceUrl || (isUploaded(other.sourceUrl) && isUploaded(sourceUrl))) &&
    other.version === version &&
    other.bundleSha256 !== bundleSha256
  if (previousVersions.some(isChanged))
    throw await reportBundleChanged(deps, caller, row, version, bundleSha256)
  return { version, sourceUrl, bundleSha256, specJson: json, code }
}

/** Audits the change and returns the error. */
async function reportBundleChanged(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  { workspaceId, definitionId: subject }: Definition,
  version: string,
  sha256: string,
): Promise<ApiError> {
  const action = 'definition.bundle_changed'
  const event = { action, workspaceId, subject, detail: { version, sha256 } } as const
  await deps.database.transaction((trx) => record(trx, caller, deps.now(), event))
  return new ApiError(
    'bundle_changed',
    `The bundle of version ${version} has changed. The new bytes were not used.`,
  )
}
