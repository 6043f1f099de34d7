import { setImmediate } from 'node:timers/promises'
import type { Spec } from '@linchpin/runner'
import type { AccessScope } from '../auth/caller.ts'
import type {
  DefinitionListFilter,
  DefinitionStore,
  DefinitionSummaryRow,
} from '../definitions/definition-store.ts'
import { ALL_ROWS } from '../http/pagination.ts'
import { oauthTypes } from '../oauth/spec/oauth-types.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'

export interface FindMissingOAuthAppsDeps {
  readonly definitions: DefinitionStore
  readonly oauthApps: OAuthAppStore
  readonly readAuthKinds: AuthKindReader
}

/**
 * The IDs of the definitions that cannot be connected until their workspace has an OAuth app for them, in the order of
 * `definitions`, which match `filter`. With `oauthOnly`, an auth type with an API key is no alternative.
 */
export async function findMissingOAuthApps(
  deps: FindMissingOAuthAppsDeps,
  accessScope: AccessScope,
  filter: DefinitionListFilter,
  definitions: readonly DefinitionSummaryRow[],
  { oauthOnly }: { readonly oauthOnly: boolean },
): Promise<string[]> {
  const authKinds = await deps.readAuthKinds(definitions, () =>
    deps.definitions.listWithSpecs(accessScope, filter),
  )
  const needsApp = ({ bundle_sha256 }: DefinitionSummaryRow) => {
    const { hasOAuth = false, hasOther = false } = authKinds.get(bundle_sha256) ?? {}
    return hasOAuth && (oauthOnly || !hasOther)
  }
  const ids = definitions.filter(needsApp).map(({ definition_id }) => definition_id)
  if (ids.length === 0) return []
  const { workspaceId } = filter
  const apps = await deps.oauthApps.list(accessScope, { workspaceId }, ALL_ROWS)
  const definitionsWithApp = new Set(apps.map(({ definitionId }) => definitionId))
  return ids.filter((id) => !definitionsWithApp.has(id))
}

interface AuthKinds {
  readonly hasOAuth: boolean
  readonly hasOther: boolean
}

interface BundleSpec {
  readonly bundle_sha256: string
  readonly spec: string
}

/** Parsing a longer spec takes more than a millisecond, in characters. */
const LARGE_SPEC_LENGTH = 32_000
const MAX_CACHED_BUNDLES = 10_000

/** Reads the kinds of auth types of bundles, by digest. Caches them, and calls `loadSpecs` only for an unknown bundle. */
export function createAuthKindReader() {
  const cache = new Map<string, AuthKinds>()
  return async (
    bundles: readonly Pick<BundleSpec, 'bundle_sha256'>[],
    loadSpecs: () => Promise<readonly BundleSpec[]>,
  ): Promise<ReadonlyMap<string, AuthKinds>> => {
    const found = new Map<string, AuthKinds>()
    for (const { bundle_sha256 } of bundles) {
      const kinds = cache.get(bundle_sha256)
      if (kinds !== undefined) found.set(bundle_sha256, kinds)
    }
    if (bundles.every(({ bundle_sha256 }) => found.has(bundle_sha256))) return found
    for (const { bundle_sha256, spec } of await loadSpecs()) {
      if (found.has(bundle_sha256)) continue
      // A workspace may have many specs of 256 kB: let other requests run in between.
      if (spec.length > LARGE_SPEC_LENGTH) await setImmediate()
      const kinds = getAuthKinds(JSON.parse(spec) as Spec)
      found.set(bundle_sha256, kinds)
      cache.set(bundle_sha256, kinds)
      const [oldest] = cache.keys()
      if (cache.size > MAX_CACHED_BUNDLES && oldest !== undefined) cache.delete(oldest)
    }
    return found
  }
}

export type AuthKindReader = ReturnType<typeof createAuthKindReader>

function getAuthKinds(spec: Spec): AuthKinds {
  const oauthCount = oauthTypes(spec).length
  const hasOther = Object.keys(spec.auth_specification).length > oauthCount
  return { hasOAuth: oauthCount > 0, hasOther }
}
