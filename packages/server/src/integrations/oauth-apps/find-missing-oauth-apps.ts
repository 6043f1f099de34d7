import { setImmediate } from 'node:timers/promises'
import type { Spec } from '@linchpin/runner'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { Definition, DefinitionSummary } from '../definitions/definition.ts'
import type { DefinitionListFilter } from '../definitions/definition-list-store.ts'
import type { DefinitionStore } from '../definitions/definition-store.ts'
import { parseOAuthType } from '../oauth/spec/parse-oauth-type.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'

export interface FindMissingOAuthAppsDeps {
  readonly definitions: DefinitionStore
  readonly oauthApps: OAuthAppStore
  readonly readAuthKinds: AuthKindReader
}

/** How the accounts of an auth type are connected: by signing in at the provider, which needs an OAuth app, or by entering credentials. */
export type AuthKind = 'sign_in' | 'credentials'

interface OfferedAuthTypes<T> {
  /** Those that the link accepts. */
  readonly accepted: readonly T[]
  /** Those of them that can be used now. */
  readonly available: readonly T[]
}

/** Selects the auth types that a link offers: with `oauthOnly` it accepts no credentials, and sign-in needs an OAuth app. */
export function selectAuthTypes<T extends { readonly kind: AuthKind }>(
  types: readonly T[],
  { oauthOnly, hasApp }: { readonly oauthOnly: boolean; readonly hasApp: boolean },
): OfferedAuthTypes<T> {
  const accepted = types.filter(({ kind }) => !oauthOnly || kind === 'sign_in')
  return { accepted, available: accepted.filter(({ kind }) => hasApp || kind === 'credentials') }
}

/** Whether nothing is missing but an OAuth app. */
export function isOAuthAppMissing({ accepted, available }: OfferedAuthTypes<unknown>): boolean {
  return accepted.length > 0 && available.length === 0
}

/**
 * The IDs of the definitions that cannot be connected until their workspace has an OAuth app for them, in the order of
 * `definitions`, which match `filter`.
 */
export async function findMissingOAuthApps(
  deps: FindMissingOAuthAppsDeps,
  access: WorkspaceAccess,
  filter: DefinitionListFilter,
  definitions: readonly DefinitionSummary[],
  { oauthOnly }: { readonly oauthOnly: boolean },
): Promise<string[]> {
  const authTypes = await deps.readAuthKinds(definitions, () =>
    deps.definitions.listWithSpecs(access, filter),
  )
  const needingApp = definitions.filter(({ bundleSha256 }) =>
    isOAuthAppMissing(
      selectAuthTypes(authTypes.get(bundleSha256) ?? [], { oauthOnly, hasApp: false }),
    ),
  )
  if (needingApp.length === 0) return []
  const withApp = await deps.oauthApps.listScopesByDefinition(access, filter.workspaceId)
  return needingApp.map(({ definitionId }) => definitionId).filter((id) => !withApp.has(id))
}

/** The kinds of the auth types of a bundle. */
type AuthKinds = readonly { readonly kind: AuthKind }[]

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
  return Object.keys(spec.auth_specification).map((authType) => ({
    kind: parseOAuthType(spec, authType) === undefined ? 'credentials' : 'sign_in',
  }))
}
