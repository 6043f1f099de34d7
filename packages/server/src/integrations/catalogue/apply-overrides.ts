import { readFileSync } from 'node:fs'
import type { MergePatch } from '@linchpin/kit/entry'
import { type Runner, RunnerError, type Tenant } from '@linchpin/runner'
import { ApiError } from '../../platform/errors.ts'
import type { Log } from '../../platform/http/log.ts'
import { isJsonObject, parseJson } from '../../platform/json.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { BundleStore } from '../definitions/bundle-store.ts'
import type { DefinitionSummary } from '../definitions/definition.ts'
import { bundleOverride, findOriginal, isOverridden } from '../definitions/overridden.ts'
import { loadSpec } from '../definitions/spec/validate-spec.ts'
import type { CatalogueStore } from './catalogue-store.ts'
import { type LoadVersionDeps, loadVersion } from './offered-integration.ts'

/** JSON merge patches (RFC 7396) for entries of the catalogue, by the keys of the integrations. */
export type Overrides = Readonly<Record<string, MergePatch>>

export interface ApplyOverridesDeps extends LoadVersionDeps {
  readonly database: Database
  readonly bundles: BundleStore
  readonly catalogue: CatalogueStore
  readonly runner: Runner
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const TENANT: Tenant = { workspaceId: 'catalogue' }
const MAX_BYTES = 1024 * 1024

/**
 * Reads LINCHPIN_CATALOGUE_OVERRIDES.
 *
 * @throws Error whose message completes "LINCHPIN_CATALOGUE_OVERRIDES: …"
 */
export function readOverrides(file: string): Overrides {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new Error(`cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
  if (bytes.byteLength > MAX_BYTES) throw new Error('must be a file of at most 1 MB.')
  const overrides = parseJson(bytes.toString('utf8'))
  if (!isJsonObject(overrides))
    throw new Error('must be a file with a JSON object: keys and patches.')
  const [invalid] = Object.entries(overrides).find(([, patch]) => !isJsonObject(patch)) ?? []
  if (invalid !== undefined) throw new Error(`the patch of ${invalid} must be a JSON object.`)
  return overrides as Overrides
}

/**
 * Changes the entries of the catalogue by the overrides of this instance, for all workspaces that run the newest version, and restores
 * those that are no longer overridden. An override that does not fit is logged, and the integration stays as the catalogue has it.
 *
 * @returns why overrides do not fit, by key
 */
export async function applyOverrides(
  deps: ApplyOverridesDeps,
  overrides: Overrides,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  const rows = await deps.catalogue.listDefinitions()
  const keys = new Set(rows.map(({ key }) => key))
  for (const key of Object.keys(overrides))
    if (!keys.has(key)) problems.set(key, 'The catalogue has no integration with this key.')
  for (const row of rows) {
    const patch = Object.hasOwn(overrides, row.key) ? overrides[row.key] : undefined
    if (patch === undefined && !isOverridden(row)) continue
    const problem = await applyOverride(deps, row, patch ?? {})
    if (problem !== undefined) problems.set(row.key, problem)
  }
  for (const [key, problem] of problems) deps.log.error({ key, problem }, NOT_APPLIED)
  return problems
}

const NOT_APPLIED = 'an override of LINCHPIN_CATALOGUE_OVERRIDES was not applied'

async function applyOverride(
  deps: ApplyOverridesDeps,
  row: DefinitionSummary,
  patch: MergePatch,
): Promise<string | undefined> {
  const entry = await findOriginal(deps, row)
  if (entry === undefined) return 'This integration is code: it has no entry to change.'
  try {
    const target = await bundleOverride(deps, entry, patch, TENANT)
    await save(deps, row, target ?? (await loadOriginal(deps, row)))
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof RunnerError)) throw error
    await save(deps, row, await loadOriginal(deps, row))
    return error.message
  }
}

type Target = NonNullable<Awaited<ReturnType<typeof bundleOverride>>>

/** The version of the row as the catalogue or a registry offers it. */
async function loadOriginal(deps: ApplyOverridesDeps, row: DefinitionSummary): Promise<Target> {
  const offered = (await deps.catalogue.listVersions(row.definitionId)).find(
    ({ version }) => version === row.version,
  )
  if (offered === undefined) throw new Error(`the catalogue has no ${row.key} ${row.version}`)
  const { sourceUrl, bundleSha256 } = offered
  const code = await loadVersion(deps, row.key, { ...offered, sha256: bundleSha256 }, TENANT)
  const { json } = await loadSpec(deps.runner, bundleSha256, code, TENANT)
  return { code, sourceUrl, bundleSha256, specJson: json }
}

async function save(
  deps: ApplyOverridesDeps,
  row: DefinitionSummary,
  { code, sourceUrl, bundleSha256, specJson }: Target,
): Promise<void> {
  if (row.bundleSha256 === bundleSha256) return
  const { name, icon, releaseStage, typeKey, typeName, latestVersion, latestSourceUrl } = row
  const same = { name, icon, releaseStage, typeKey, typeName, latestVersion, latestSourceUrl }
  const version = { version: row.version, sourceUrl, bundleSha256, specJson }
  const updatedAt = deps.now()
  await deps.database.transaction(async (trx) => {
    await deps.bundles.save(trx, bundleSha256, code, updatedAt)
    await deps.catalogue.update(trx, row, { ...same, ...version, updatedAt })
  })
}
