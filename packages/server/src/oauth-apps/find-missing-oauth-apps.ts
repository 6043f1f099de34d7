import { setImmediate } from 'node:timers/promises'
import type { Spec } from '@linchpin/runner'
import type { AccessScope } from '../auth/caller.ts'
import type { Definition, DefinitionSummary } from '../definitions/definition.ts'
import type { DefinitionListFilter, DefinitionStore } from '../definitions/definition-store.ts'
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
  definitions: readonly DefinitionSummary[],
  { oauthOnly }: { readonly oauthOnly: boolean },
): Promise<string[]> {
  const authKinds = await deps.readAuthKinds(definitions, () =>
    deps.definitions.listWithSpecs(accessScope, filter),
  )
  const needsApp = ({ bundleSha256 }: DefinitionSummary) => {
    const { hasOAuth = false, hasOther = false } = authKinds.get(bundleSha256) ?? {}
    return hasOAuth && (oauthOnly || !hasOther)
  }
  const ids = definitions.filter(needsApp).map(({ definitionId }) => definitionId)
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

type BundleSpec = Pick<Definition, 'bundleSha256' | 'specJson' | 'spec'>

/** Parsing a longer spec takes more than a millisecond, in characters. */
const LARGE_SPEC_LENGTH = 32_000
const MAX_CACHED_BUNDLES = 10_000

/** Reads the kinds of auth types of bundles, by digest. Caches them, and calls `loadSpecs` only for an unknown bundle. */
export function createAuthKindReader() {
  const cache = new Map<string, AuthKinds>()
  return async (
    bundles: readonly Pick<BundleSpec, 'bundleSha256'>[],
    loadSpecs: () => Promise<readonly BundleSpec[]>,
  ): Promise<ReadonlyMap<string, AuthKinds>> => {
    const found = new Map<string, AuthKinds>()
    for (const { bundleSha256 } of bundles) {
      const kinds = cache.get(bundleSha256)
      if (kinds !== undefined) found.set(bundleSha256, kinds)
    }
    if (bundles.every(({ bundleSha256 }) => found.has(bundleSha256))) return found
    for (const definition of await loadSpecs()) {
      const { bundleSha256, specJson } = definition
      if (found.has(bundleSha256)) continue
      // A workspace may have many specs of 256 kB: let other requests run in between.
      if (specJson.length > LARGE_SPEC_LENGTH) await setImmediate()
      const kinds = getAuthKinds(definition.spec)
      found.set(bundleSha256, kinds)
      cache.set(bundleSha256, kinds)
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
