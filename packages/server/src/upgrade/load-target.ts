import { hash } from 'node:crypto'
import type { Runner } from '@linchpin/runner'
import { recordAudit } from '../audit/audit-store.ts'
import type { Caller } from '../caller/caller.ts'
import type { CatalogueStore } from '../catalogue/catalogue-store.ts'
import { type LoadVersionDeps, loadVersion } from '../catalogue/load-version.ts'
import type { DefinitionStore } from '../definition/definition-store.ts'
import { isShared } from '../definition/definition-view-store.ts'
import { downloadBundle } from '../definition/download-bundle.ts'
import { readSpec } from '../definition/spec/read-spec.ts'
import { specVersion } from '../definition/spec/spec-version.ts'
import { ApiError, fieldError, unknownReference, validationFailed } from '../errors.ts'
import type { Database } from '../storage/database.ts'
import type { CatalogueVersionRow, DefinitionRow } from '../storage/tables.ts'
import { requireChoice } from './require-choice.ts'
import type { UpgradeDefinition } from './upgrade-requests.ts'
import type { Code, VersionStore } from './version-store.ts'

export interface LoadTargetDeps extends LoadVersionDeps {
  readonly database: Database
  readonly catalogue: CatalogueStore
  readonly versions: VersionStore
  readonly definitions: DefinitionStore
  readonly runner: Runner
  readonly baseUrl: () => string
  readonly now: () => number
}

/** A version that a definition could move to: downloaded and judged, stored nowhere. */
export interface Target extends Code {
  readonly code: Uint8Array
}

/**
 * Gets the version that is asked for: of a catalogue definition one that the catalogue or the registry tells of, of a custom
 * one what is at `sourceUrl` now. Nothing named: the latest.
 *
 * @throws ApiError `insufficient_scope` for a custom definition that is in use, without `credentials:read`
 * @throws ApiError `unknown_reference`, `validation_failed`, `bundle_changed`; what downloadBundle and readSpec throw
 */
export function loadTarget(
  deps: LoadTargetDeps,
  caller: Caller,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<Target> {
  return isShared(row)
    ? sharedTarget(deps, caller, row, input)
    : customTarget(deps, caller, row, input)
}

async function sharedTarget(
  deps: LoadTargetDeps,
  caller: Caller,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<Target> {
  const offered = await chooseOffered(deps, row, input)
  const { version, source_url, bundle_sha256 } = offered
  const tenant = { workspaceId: row.workspace_id, definitionId: row.definition_id }
  const asked = { version, sourceUrl: source_url, sha256: bundle_sha256 }
  const code = await loadVersion(deps, row.key, asked, tenant)
  // Compared before anything runs.
  if (hash('sha256', code) !== bundle_sha256)
    throw await changed(deps, caller, row, version, hash('sha256', code))
  const { json } = await readSpec(deps.runner, bundle_sha256, code, tenant)
  return { version, source_url, bundle_sha256, spec: json, code }
}

async function chooseOffered(
  deps: LoadTargetDeps,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<CatalogueVersionRow> {
  const offered = await deps.catalogue.versions(row.definition_id)
  const base = deps.baseUrl()
  const isAsked = ({ version, source_url }: CatalogueVersionRow) =>
    input.sourceUrl == null
      ? version === (input.version ?? row.latest_version)
      : [source_url, base + source_url].includes(input.sourceUrl) &&
        version === (input.version ?? version)
  const found = offered.find(isAsked)
  if (found === undefined) throw unknownReference(input.sourceUrl == null ? 'version' : 'sourceUrl')
  return found
}

async function customTarget(
  deps: LoadTargetDeps,
  caller: Caller,
  row: DefinitionRow,
  input: UpgradeDefinition,
): Promise<Target> {
  await requireChoice(deps.database.read, caller, row, deps.now())
  const tenant = { workspaceId: row.workspace_id, definitionId: row.definition_id }
  const source_url = input.sourceUrl ?? row.source_url
  const code = await downloadBundle(deps.gate, source_url, tenant)
  const bundle_sha256 = hash('sha256', code)
  const known = [row, ...(await deps.versions.known(row))]
  const { spec, json } = await readSpec(deps.runner, bundle_sha256, code, tenant)
  const named = specVersion(spec)
  if (named !== undefined && input.version != null && named !== input.version)
    throw validationFailed(
      fieldError('version', 'other_version', `The bundle says that it is ${named}.`),
    )
  const version = named ?? input.version ?? '0.0.1'
  const isChanged = (other: Omit<Code, 'spec'>) =>
    other.source_url === source_url &&
    other.version === version &&
    other.bundle_sha256 !== bundle_sha256
  if (known.some(isChanged)) throw await changed(deps, caller, row, version, bundle_sha256)
  return { version, source_url, bundle_sha256, spec: json, code }
}

/** Reports it, and says so. */
async function changed(
  deps: LoadTargetDeps,
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
    `The address gives other bytes for version ${version} than were known of it. They were not used.`,
  )
}
