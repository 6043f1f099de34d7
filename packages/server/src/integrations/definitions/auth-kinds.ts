import { setImmediate } from 'node:timers/promises'
import type { Spec } from '@linchpin/runner'
import { parseOAuthType } from '../oauth/spec/parse-oauth-type.ts'
import type { Definition } from './definition.ts'

/** How the accounts of an auth type are connected: by signing in at the provider, which usually needs an OAuth app, or by entering credentials. */
export type AuthKind = 'sign_in' | 'credentials'

/** The auth types of a bundle, in the order of its spec. */
type AuthKinds = readonly {
  readonly name: string
  readonly kind: AuthKind
  /** Set if a sign-in finds or registers its client, so that it needs no OAuth app before. */
  readonly findsClient?: true
}[]

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
  return Object.keys(spec.auth_specification).map((authType) => {
    const type = parseOAuthType(spec, authType)
    return {
      name: authType,
      kind: type === undefined ? 'credentials' : 'sign_in',
      ...(type?.discoveredFrom === undefined ? {} : { findsClient: true }),
    }
  })
}
