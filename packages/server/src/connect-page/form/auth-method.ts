import { setImmediate } from 'node:timers/promises'
import type { Spec } from '@linchpin/runner'
import { configFields } from '../../accounts/credentials/config-fields.ts'
import type { DefinitionSummaryRow } from '../../definitions/definition-store.ts'
import { parseOAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import { PLACEHOLDER } from '../../oauth/template/template-value.ts'
import { promptFields } from '../../oauth-flow/start/prompt-fields.ts'
import type { DefinitionRow } from '../../storage/tables.ts'
import type { FormField } from './form-field.ts'
import { formFields } from './form-fields.ts'

/** One way to connect a tool. */
export interface AuthMethod {
  /** Its key in the spec. */
  readonly authType: string
  readonly kind: 'sign_in' | 'credentials'
  /** Where one signs in, as far as the spec tells. */
  readonly host: string | undefined
  /** The origin that its form leads to, when that is over http: operators open such providers one by one. */
  readonly httpOrigin?: string | undefined
  /** What a person is asked for: nothing that sign-in brings itself. */
  readonly fields: readonly FormField[]
}

/** Characters of a spec that take more than a millisecond to read. */
const LARGE_SPEC_LENGTH = 32_000

/** Characters of specs whose ways are kept at most. */
const MAX_CACHED_LENGTH = 8_000_000

/** The ways of definitions, under the hash of their bundle. */
export type AuthMethods = ReadonlyMap<string, readonly AuthMethod[]>

/**
 * Reads the ways of definitions. Specs are large and never change under their hash, so what they say is kept, and
 * `loadSpecs` is asked only when one of them is new.
 */
export function createAuthMethodReader() {
  const cache = new Map<
    string,
    { readonly authMethods: readonly AuthMethod[]; readonly size: number }
  >()
  let size = 0

  return async (
    definitions: readonly DefinitionSummaryRow[],
    loadSpecs: () => Promise<readonly Pick<DefinitionRow, 'bundle_sha256' | 'spec'>[]>,
  ): Promise<AuthMethods> => {
    const found = new Map<string, readonly AuthMethod[]>()
    for (const { bundle_sha256 } of definitions) {
      const cached = cache.get(bundle_sha256)
      if (cached !== undefined) found.set(bundle_sha256, cached.authMethods)
    }
    if (definitions.every(({ bundle_sha256 }) => found.has(bundle_sha256))) return found
    for (const { bundle_sha256, spec } of await loadSpecs()) {
      if (found.has(bundle_sha256)) continue
      // A workspace may have any number of specs of 256 kB: others take their turn between them.
      if (spec.length > LARGE_SPEC_LENGTH) await setImmediate()
      const authMethods = getAuthMethods(JSON.parse(spec) as Spec)
      found.set(bundle_sha256, authMethods)
      addToCache(bundle_sha256, authMethods, spec.length)
    }
    return found
  }

  function addToCache(hash: string, authMethods: readonly AuthMethod[], length: number): void {
    if (!cache.has(hash)) size += length
    cache.set(hash, { authMethods, size: length })
    for (const [oldest, entry] of cache) {
      if (size <= MAX_CACHED_LENGTH) return
      cache.delete(oldest)
      size -= entry.size
    }
  }
}

export type AuthMethodReader = ReturnType<typeof createAuthMethodReader>

function getAuthMethods(spec: Spec): AuthMethod[] {
  const all = Object.keys(spec.auth_specification).map((authType): AuthMethod => {
    const type = parseOAuthType(spec, authType)
    const inputFields = configFields(spec, authType)
    const promptedFields =
      inputFields === undefined || type === undefined
        ? inputFields
        : promptFields(inputFields, type)
    const fields = promptedFields === undefined ? [] : formFields(promptedFields)
    return type === undefined
      ? { authType, kind: 'credentials', host: undefined, fields }
      : {
          authType,
          kind: 'sign_in',
          host: getHost(type.authorizationUrl),
          httpOrigin: getHttpOrigin(type.authorizationUrl),
          fields,
        }
  })
  return [
    ...all.filter(({ kind }) => kind === 'sign_in'),
    ...all.filter(({ kind }) => kind === 'credentials'),
  ]
}

/** The host of a URL whose parts may still be open: `${subdomain}.desk.example` → `….desk.example`. */
function getHost(template: string): string | undefined {
  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(template)?.[1]
  // Whatever stands before the last `@` is a name to log in with, made to look like a host.
  return authority?.split('@').at(-1)?.replace(PLACEHOLDER, '…').toLowerCase()
}

function getHttpOrigin(template: string): string | undefined {
  const url = URL.parse(template)
  return url?.protocol === 'http:' ? url.origin : undefined
}
