import { hash } from 'node:crypto'
import type { Runner } from '@linchpin/runner'
import { type Caller, requireScope } from '../../access/auth/caller.ts'
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
import {
  type BundleVersion,
  type DefinitionStore,
  findDefinitionUse,
} from '../../integrations/definitions/definition-store.ts'
import {
  getBundleFieldName,
  isUploaded,
  loadBundle,
} from '../../integrations/definitions/load-bundle.ts'
import {
  serializeDefinition,
  serializeExtendedDefinition,
} from '../../integrations/definitions/schemas.ts'
import { getSpecVersion, loadSpec } from '../../integrations/definitions/spec/validate-spec.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../../platform/errors.ts'
import type { Actor } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { UpgradeDefinitionRequest } from './schemas.ts'
import type { VersionDigest, VersionStore } from './version-store.ts'

export interface SetVersionDeps {
  readonly database: Database
  readonly definitions: DefinitionStore
  readonly versions: VersionStore
  readonly now: () => number
}

/**
 * Changes the version of a definition in a workspace, unless it was changed since `row` was read. `beforeChange` runs
 * first in the same transaction. A workspace that changes to the version of all others is unpinned.
 *
 * @throws ApiError `concurrent_update`, and those of assertMayChangeCode
 */
export async function setVersion(
  deps: SetVersionDeps,
  caller: Caller,
  row: Definition,
  target: BundleVersion,
  beforeChange: (trx: Transaction, now: number) => Promise<void>,
): Promise<void> {
  const now = deps.now()
  const { definitionId, workspaceId } = row
  await deps.database.transaction(
    async (trx) => {
      const current = await deps.definitions.findLive(trx, caller, workspaceId, definitionId)
      if (current === undefined || !isSameVersion(current, row))
        throw new ApiError(
          'concurrent_update',
          'The definition was modified by another request. Read it and try again.',
        )
      // Check again: accounts may have been created since the first check.
      await assertMayChangeCode(trx, caller, row, now)
      await beforeChange(trx, now)
      if (!isCatalogueDefinition(row)) return deps.versions.replace(trx, row, target, now)
      const unpinned = await deps.versions.findUnpinned(trx, definitionId)
      if (unpinned !== undefined && isSameVersion(unpinned, target))
        return deps.versions.unpin(trx, row)
      await deps.versions.pin(trx, row, target, now)
    },
    { serializable: true },
  )
}

function isSameVersion(first: VersionDigest, second: VersionDigest): boolean {
  return (
    first.version === second.version &&
    first.sourceUrl === second.sourceUrl &&
    first.bundleSha256 === second.bundleSha256
  )
}

/**
 * Throws unless the caller may choose the code of this definition: code that receives stored credentials or a client
 * secret can read them. Catalogue versions are exempt, because their bytes are known by digest.
 *
 * @throws ApiError `insufficient_scope` for a custom definition in use, without `credentials:read`
 */
export async function assertMayChangeCode(
  db: Transaction,
  caller: Caller,
  row: Definition,
  now: number,
): Promise<void> {
  if (isCatalogueDefinition(row)) return
  const use = await findDefinitionUse(db, caller, row.definitionId, now)
  if (use !== undefined) requireScope(caller, 'credentials:read')
}

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
  const field = getBundleFieldName(input)
  if (field !== 'sourceUrl')
    throw validationFailed(
      fieldError(field, 'unexpected', 'Versions of a catalogue definition are not uploaded.'),
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

/** Records in its transaction that a definition got another version. */
export async function recordVersionChange(
  deps: { readonly baseUrl: () => string },
  trx: Transaction,
  actor: Actor,
  now: number,
  type: Extract<EventType, 'definition.upgraded' | 'definition.rolled_back'>,
  previous: Definition,
  { version, sourceUrl, bundleSha256 }: BundleVersion,
): Promise<void> {
  const { definitionId, workspaceId } = previous
  const versions = { from: previous.version, to: version }
  const current = { ...previous, version, sourceUrl, updatedAt: now }
  const definition = serializeDefinition(current, deps.baseUrl())
  await record(trx, actor, now, {
    action: type,
    workspaceId,
    subject: definitionId,
    detail: { ...versions, sha256: bundleSha256 },
    event: { type, subject: definitionId, data: { definition, ...versions } },
    response: serializeExtendedDefinition(current, deps.baseUrl()),
  })
}
