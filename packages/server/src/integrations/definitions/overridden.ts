import { hash } from 'node:crypto'
import type { Catalogue } from '@linchpin/catalogue'
import {
  applyMergePatch,
  createMergePatch,
  type Entry,
  findNeededRuntime,
  lintEntry,
  listPatchedPaths,
  type MergePatch,
  readBundledEntry,
} from '@linchpin/kit/entry'
import type { Runner, Tenant } from '@linchpin/runner'
import { fieldError, validationFailed } from '../../platform/errors.ts'
import type { BundleStore } from './bundle-store.ts'
import { type DefinitionId, type DefinitionSummary, isCatalogueDefinition } from './definition.ts'
import type { BundleVersion } from './definition-store.ts'
import { bundleTenantEntry, type EntryBundleDeps } from './entry-bundle.ts'
import { isUploaded, type LoadedBundle, nameBundle } from './load-bundle.ts'
import { loadSpec } from './spec/validate-spec.ts'

export interface OverrideReaderDeps {
  readonly bundles: Pick<BundleStore, 'code'>
  readonly catalogue: {
    listVersions(
      definitionId: DefinitionId,
    ): Promise<readonly Pick<DefinitionSummary, 'version' | 'bundleSha256'>[]>
  }
  readonly bundledCatalogue: Pick<Catalogue, 'entries' | 'runtimes'>
}

type Version = Pick<
  DefinitionSummary,
  'definitionId' | 'key' | 'version' | 'sourceUrl' | 'bundleSha256' | 'latestVersion'
>

/** Whether an integration of the catalogue runs with an entry that was changed here, so that no URL has its bundle. */
export function isOverridden(row: Pick<Version, 'latestVersion' | 'sourceUrl'>): boolean {
  return isCatalogueDefinition(row) && isUploaded(row.sourceUrl)
}

/** The entry that a bundle consists of; undefined if the bundle is code. */
export function parseBundledEntry(
  { runtimes }: Pick<Catalogue, 'runtimes'>,
  code: Uint8Array,
): Entry | undefined {
  if (code.byteLength > MAX_BUNDLE_BYTES) return undefined
  const text = new TextDecoder().decode(code)
  for (const runtime of runtimes.values()) {
    const json = readBundledEntry(text, runtime)
    if (json !== undefined) return JSON.parse(json)
  }
  return undefined
}

/** More than the longest entry and a runtime: a larger bundle has code of its own. */
const MAX_BUNDLE_BYTES = 256 * 1024

/** An entry that was changed, as a bundle. */
export type OverrideBundle = Omit<BundleVersion, 'version'> & Pick<LoadedBundle, 'code'>

/**
 * The bundle of an entry of the catalogue with the changes of a patch; undefined if they change nothing.
 *
 * @throws ApiError `validation_failed` with the path of what is wrong; those of loadSpec
 */
export async function bundleOverride(
  deps: EntryBundleDeps & { readonly runner: Runner },
  entry: Entry,
  patch: MergePatch,
  tenant: Tenant,
): Promise<OverrideBundle | undefined> {
  const fixed = findFixedMember(patch)
  if (fixed !== undefined) throw validationFailed(fieldError(`patch.${fixed}`, 'unexpected', FIXED))
  const patched = patchEntry(entry, patch)
  if (Object.keys(diffEntries(entry, patched)).length === 0) return undefined
  const { name, version } = entry
  const bytes = await bundleTenantEntry(deps, patched, tenant, { name, version, member: 'patch' })
  const { code, sourceUrl } = nameBundle(bytes)
  const bundleSha256 = hash('sha256', code)
  const { json } = await loadSpec(deps.runner, bundleSha256, code, tenant, 'patch')
  return { code, sourceUrl, bundleSha256, specJson: json }
}

/** Why a patch does not fit an entry, as far as that shows without running it; undefined if it fits. */
export function findOverrideProblem(entry: Entry, patch: MergePatch): string | undefined {
  const fixed = findFixedMember(patch)
  if (fixed !== undefined) return `${fixed}: ${FIXED}`
  const [problem] = lintEntry(patchEntry(entry, patch), { isPrivate: true })
  return problem && `${problem.path}: ${problem.message}`
}

/** An entry with the changes of a patch, and with a release of the runtime that knows all of them. */
function patchEntry(entry: Entry, patch: MergePatch): Readonly<Record<string, unknown>> {
  const patched = { ...(applyMergePatch(entry, patch) as object) }
  return { ...patched, runtime: Math.max(entry.runtime, findNeededRuntime(patched).runtime) }
}

/** The patch that makes one entry the other. The release of the runtime is no part of it: it follows from what is. */
export function diffEntries(from: object, to: object): MergePatch {
  const { runtime, ...patch } = createMergePatch({ ...from }, { ...to })
  return patch
}

function findFixedMember(patch: MergePatch): string | undefined {
  return Object.keys(patch).find((name) => FIXED_MEMBERS.has(name))
}

const FIXED = 'Only how the integration connects can be overridden.'

/** What names and describes an integration. */
const FIXED_MEMBERS: ReadonlySet<string> = new Set([
  '$schema',
  'aliases',
  'category',
  'docs',
  'icon',
  'key',
  'name',
  'register',
  'runtime',
  'version',
])

/**
 * Creates a function that lists what was changed in an integration of the catalogue, as paths into its entry. `code` is its bundle,
 * if that is not stored yet.
 */
export function createOverriddenReader(deps: OverrideReaderDeps) {
  const found = new Map<string, readonly string[]>()
  return async (row: Version, code?: Uint8Array): Promise<readonly string[]> => {
    if (!isOverridden(row)) return []
    const known = found.get(row.bundleSha256)
    if (known !== undefined) return known
    const bundle = code ?? (await deps.bundles.code(row.bundleSha256))
    const entry = bundle && parseBundledEntry(deps.bundledCatalogue, bundle)
    if (entry === undefined) return []
    // An original that is not stored here may differ everywhere.
    const original = (await findOriginal(deps, row)) ?? {}
    const paths = listPatchedPaths(diffEntries(original, entry))
    if (found.size >= MAX_KEPT) found.clear()
    found.set(row.bundleSha256, paths)
    return paths
  }
}

export type OverriddenReader = ReturnType<typeof createOverriddenReader>

const MAX_KEPT = 1_000

/** The entry of this version as the catalogue or a registry has it; undefined if it is code, or unknown here. */
export async function findOriginal(
  { bundles, catalogue, bundledCatalogue }: OverrideReaderDeps,
  { definitionId, key, version }: Version,
): Promise<Entry | undefined> {
  const bundled = bundledCatalogue.entries
    .find((each) => each.key === key)
    ?.versions.find((each) => each.version === version)
  if (bundled !== undefined) return bundled.entry
  const offered = await catalogue.listVersions(definitionId)
  const digest = offered.find((each) => each.version === version)?.bundleSha256
  const code = digest && (await bundles.code(digest))
  return code ? parseBundledEntry(bundledCatalogue, code) : undefined
}
