import type { Spec } from '@linchpin/runner'
import { readOAuthType } from '../../oauth/spec/auth-type.ts'
import type { DefinitionRow } from '../../storage/tables.ts'

/** One way to connect a tool. */
export interface Way {
  /** Its key in the spec. */
  readonly authType: string
  readonly kind: 'sign_in' | 'credentials'
  /** Where one signs in, as far as the spec tells. */
  readonly host: string | undefined
  /** The origin that its form leads to, when that is over http: operators open such providers one by one. */
  readonly httpOrigin?: string | undefined
}

/** A tool that a link offers. */
export interface Tool {
  readonly definition: DefinitionRow
  /** Every way that the link accepts, those with sign-in first. */
  readonly ways: readonly Way[]
  /** The ways that work: signing in needs an OAuth app. */
  readonly ready: readonly Way[]
}

const MAX_KEPT = 1_000

/** Reads the ways of definitions. Specs are large and never change under their hash, so what they say is kept. */
export function createToolReader() {
  const kept = new Map<string, readonly Way[]>()

  return (
    definition: DefinitionRow,
    { signInOnly, hasApp }: { readonly signInOnly: boolean; readonly hasApp: boolean },
  ): Tool => {
    const all = kept.get(definition.bundle_sha256) ?? keep(definition)
    const ways = all.filter(({ kind }) => !signInOnly || kind === 'sign_in')
    return { definition, ways, ready: ways.filter(({ kind }) => hasApp || kind === 'credentials') }
  }

  function keep({ bundle_sha256, spec }: DefinitionRow): readonly Way[] {
    const ways = waysOf(JSON.parse(spec) as Spec)
    const oldest = kept.size < MAX_KEPT ? undefined : kept.keys().next().value
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(bundle_sha256, ways)
    return ways
  }
}

export type ToolReader = ReturnType<typeof createToolReader>

function waysOf(spec: Spec): Way[] {
  const all = Object.keys(spec.auth_specification).map((authType): Way => {
    const type = readOAuthType(spec, authType)
    return type === undefined
      ? { authType, kind: 'credentials', host: undefined }
      : {
          authType,
          kind: 'sign_in',
          host: hostOf(type.authorizationUrl),
          httpOrigin: httpOriginOf(type.authorizationUrl),
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
  return authority
    ?.split('@')
    .at(-1)
    ?.replace(/\$\{[^}]*\}/g, '…')
    .toLowerCase()
}

function httpOriginOf(template: string): string | undefined {
  const url = URL.parse(template)
  return url?.protocol === 'http:' ? url.origin : undefined
}
