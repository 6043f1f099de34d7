import { setImmediate } from 'node:timers/promises'
import type { Spec } from '@linchpin/runner'
import { configFields } from '../../account/config/config-fields.ts'
import { askedFields } from '../../connect/start/provider-fields.ts'
import type { ListedDefinition } from '../../definition/definition-store.ts'
import { readOAuthType } from '../../oauth/spec/auth-type.ts'
import { PLACEHOLDER } from '../../oauth/template/template-value.ts'
import type { DefinitionRow } from '../../storage/tables.ts'
import type { FormField } from '../form/form-field.ts'
import { formFields } from '../form/form-fields.ts'

/** One way to connect a tool. */
export interface Way {
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

/** A tool that a link offers. */
export interface Tool {
  readonly definition: ListedDefinition
  /** Every way that the link accepts, those with sign-in first. */
  readonly ways: readonly Way[]
  /** The ways that work: signing in needs an OAuth app. */
  readonly ready: readonly Way[]
}

/** Characters of a spec that take more than a millisecond to read. */
const LARGE = 32_000

/** Characters of specs whose ways are kept at most. */
const MAX_KEPT = 8_000_000

/** The ways of definitions, under the hash of their bundle. */
export type Ways = ReadonlyMap<string, readonly Way[]>

/**
 * Reads the ways of definitions. Specs are large and never change under their hash, so what they say is kept, and
 * `loadSpecs` is asked only when one of them is new.
 */
export function createWaysReader() {
  const kept = new Map<string, { readonly ways: readonly Way[]; readonly size: number }>()
  let size = 0

  return async (
    definitions: readonly ListedDefinition[],
    loadSpecs: () => Promise<readonly Pick<DefinitionRow, 'bundle_sha256' | 'spec'>[]>,
  ): Promise<Ways> => {
    const found = new Map<string, readonly Way[]>()
    for (const { bundle_sha256 } of definitions) {
      const known = kept.get(bundle_sha256)
      if (known !== undefined) found.set(bundle_sha256, known.ways)
    }
    if (definitions.every(({ bundle_sha256 }) => found.has(bundle_sha256))) return found
    for (const { bundle_sha256, spec } of await loadSpecs()) {
      if (found.has(bundle_sha256)) continue
      // A workspace may have any number of specs of 256 kB: others take their turn between them.
      if (spec.length > LARGE) await setImmediate()
      const ways = waysOf(JSON.parse(spec) as Spec)
      found.set(bundle_sha256, ways)
      keep(bundle_sha256, ways, spec.length)
    }
    return found
  }

  function keep(hash: string, ways: readonly Way[], length: number): void {
    if (!kept.has(hash)) size += length
    kept.set(hash, { ways, size: length })
    for (const [oldest, entry] of kept) {
      if (size <= MAX_KEPT) return
      kept.delete(oldest)
      size -= entry.size
    }
  }
}

export type WaysReader = ReturnType<typeof createWaysReader>

function waysOf(spec: Spec): Way[] {
  const all = Object.keys(spec.auth_specification).map((authType): Way => {
    const type = readOAuthType(spec, authType)
    const own = configFields(spec, authType)
    const asked = own === undefined || type === undefined ? own : askedFields(own, type)
    const fields = asked === undefined ? [] : formFields(asked)
    return type === undefined
      ? { authType, kind: 'credentials', host: undefined, fields }
      : {
          authType,
          kind: 'sign_in',
          host: hostOf(type.authorizationUrl),
          httpOrigin: httpOriginOf(type.authorizationUrl),
          fields,
        }
  })
  return [
    ...all.filter(({ kind }) => kind === 'sign_in'),
    ...all.filter(({ kind }) => kind === 'credentials'),
  ]
}

/** The host of a URL whose parts may still be open: `${subdomain}.desk.example` → `….desk.example`. */
function hostOf(template: string): string | undefined {
  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(template)?.[1]
  // Whatever stands before the last `@` is a name to log in with, made to look like a host.
  return authority?.split('@').at(-1)?.replace(PLACEHOLDER, '…').toLowerCase()
}

function httpOriginOf(template: string): string | undefined {
  const url = URL.parse(template)
  return url?.protocol === 'http:' ? url.origin : undefined
}
