import { hash } from 'node:crypto'
import type { MergePatch } from '@linchpin/kit/entry'
import type { Runner } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import type {
  CatalogueStore,
  CatalogueVersion,
} from '../../integrations/catalogue/catalogue-store.ts'
import {
  type LoadVersionDeps,
  loadVersion,
} from '../../integrations/catalogue/offered-integration.ts'
import {
  type Definition,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import {
  getBundleFieldName,
  isUploaded,
  loadBundle,
} from '../../integrations/definitions/load-bundle.ts'
import {
  bundleOverride,
  diffEntries,
  isOverridden,
  parseBundledEntry,
} from '../../integrations/definitions/overridden.ts'
import { getSpecVersion, loadSpec } from '../../integrations/definitions/spec/validate-spec.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { PreviewDefinitionRequest, UpgradeDefinitionRequest } from './schemas.ts'
import { assertMayChangeCode, type ChosenVersion } from './set-version.ts'
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
export interface TargetVersion extends ChosenVersion {
  readonly code: Uint8Array
}

/**
 * Loads the requested version: for a catalogue definition a version offered by the catalogue or the registry, for a
 * custom one the current content of `sourceUrl`, or the bundle in the request. Defaults to the latest version. What the workspace
 * has overridden in a catalogue definition stays so as far as the version differs; with `patch`, it is overridden now.
 *
 * @throws ApiError `insufficient_scope` for a custom definition in use, without `credentials:read`
 * @throws ApiError `unknown_reference`, `validation_failed`, `bundle_changed`; those of downloadBundle and loadSpec
 */
export function loadTargetVersion(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  input: PreviewDefinitionRequest,
): Promise<TargetVersion> {
  const { patch, ...upgrade } = input
  if (patch != null) return loadOverride(deps, caller, row, { ...upgrade, patch })
  return isCatalogueDefinition(row)
    ? loadCatalogueTarget(deps, caller, row, upgrade)
    : loadCustomTarget(deps, caller, row, upgrade)
}

async function loadCatalogueTarget(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  input: UpgradeDefinitionRequest,
): Promise<TargetVersion> {
  const field = getBundleFieldName(input)
  if (field !== 'sourceUrl')
    throw validationFailed(
      fieldError(field, 'unexpected', 'Versions of a catalogue definition are not uploaded.'),
    )
  const version = await loadCatalogueVersion(deps, caller, row, input)
  const patch = await readPatch(deps, caller, row)
  return patchVersion(deps, row, version, patch).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    const problem = `What is overridden does not fit version ${version.version}: change it first. ${error.message}`
    throw validationFailed(fieldError('version', 'invalid', problem))
  })
}

/** A version as the instance offers it, whose bytes are compared before anything is executed. */
async function loadCatalogueVersion(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  input: Pick<UpgradeDefinitionRequest, 'sourceUrl' | 'version'>,
): Promise<TargetVersion> {
  const offered = await findOfferedVersion(deps, row, input)
  const shared = await deps.versions.findUnpinned(deps.database.read, row.definitionId)
  const isChanged = shared?.version === offered.version && isUploaded(shared.sourceUrl)
  const { version, sourceUrl, bundleSha256 } = isChanged ? shared : offered
  const tenant = { workspaceId: row.workspaceId, definitionId: row.definitionId }
  const requestedVersion = { version, sourceUrl, sha256: bundleSha256 }
  const code = await loadVersion(deps, row.key, requestedVersion, tenant)
  if (hash('sha256', code) !== bundleSha256)
    throw await reportBundleChanged(deps, caller, row, version, hash('sha256', code))
  const { json } = await loadSpec(deps.runner, bundleSha256, code, tenant)
  return { version, sourceUrl, bundleSha256, specJson: json, code }
}

async function findOfferedVersion(
  deps: LoadTargetVersionDeps,
  row: Definition,
  input: Pick<UpgradeDefinitionRequest, 'sourceUrl' | 'version'>,
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

/** @throws ApiError `validation_failed` if the patched entry is not valid, or the integration is code */
async function loadOverride(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  { patch, ...upgrade }: PreviewDefinitionRequest & { readonly patch: MergePatch },
): Promise<TargetVersion> {
  const [other] = Object.entries(upgrade).find(
    ([name, value]) => name !== 'workspaceId' && value != null,
  ) ?? [undefined]
  if (other !== undefined)
    throw validationFailed(fieldError(other, 'unexpected', `Send either patch or ${other}.`))
  if (!isCatalogueDefinition(row))
    throw validationFailed(
      fieldError(
        'patch',
        'unexpected',
        'Only the catalogue has something to override: upgrade this definition to another entry.',
      ),
    )
  await assertMayChangeCode(deps.database.read, caller, row, { isOverride: true }, deps.now())
  const version = await loadCatalogueVersion(deps, caller, row, { version: row.version })
  if (parseBundledEntry(deps.bundledCatalogue, version.code) === undefined)
    throw validationFailed(
      fieldError('patch', 'unexpected', 'This integration is code: it has no entry to change.'),
    )
  return patchVersion(deps, row, version, patch)
}

/** What the workspace has changed in the version that it runs; empty if nothing. */
async function readPatch(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
): Promise<MergePatch> {
  if (!isOverridden(row)) return {}
  const code = await deps.bundles.code(row.bundleSha256)
  const entry = code && parseBundledEntry(deps.bundledCatalogue, code)
  const offered = await loadCatalogueVersion(deps, caller, row, { version: row.version })
  const original = parseBundledEntry(deps.bundledCatalogue, offered.code)
  return entry && original ? diffEntries(original, entry) : {}
}

/** The version with the changes, if they change something in it. A version that is code drops them. */
async function patchVersion(
  deps: LoadTargetVersionDeps,
  row: Definition,
  version: TargetVersion,
  patch: MergePatch,
): Promise<TargetVersion> {
  const entry = parseBundledEntry(deps.bundledCatalogue, version.code)
  if (entry === undefined) return version
  const tenant = { workspaceId: row.workspaceId, definitionId: row.definitionId }
  const bundle = await bundleOverride(deps, entry, patch, tenant)
  return bundle === undefined ? version : { ...bundle, version: version.version, isOverride: true }
}

async function loadCustomTarget(
  deps: LoadTargetVersionDeps,
  caller: Caller,
  row: Definition,
  input: UpgradeDefinitionRequest,
): Promise<TargetVersion> {
  await assertMayChangeCode(deps.database.read, caller, row, {}, deps.now())
  const tenant = { workspaceId: row.workspaceId, definitionId: row.definitionId }
  const isSame = getBundleFieldName(input) === 'sourceUrl' && input.sourceUrl == null
  if (isSame && isUploaded(row.sourceUrl))
    throw validationFailed(
      fieldError('bundle', 'required', 'The current bundle was uploaded: send the new one.'),
    )
  const source = isSame ? { sourceUrl: row.sourceUrl } : input
  const defaults = { name: row.name, version: input.version ?? getNextVersion(row.version) }
  const { code, sourceUrl } = await loadBundle(deps, source, tenant, defaults)
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

/** The next patch version, which an entry without a version gets. */
function getNextVersion(version: string): string {
  const [, start = '1.0.', patch = '0'] = /^(\d+\.\d+\.)(\d{1,9})$/.exec(version) ?? []
  return `${start}${Number(patch) + 1}`
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
