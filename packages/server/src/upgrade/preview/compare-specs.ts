import type { InputSpecification, Spec } from '@linchpin/runner'
import type { DefinitionPreview, PreviewField } from './preview-answer.ts'

/** What another spec would change. */
export function compareSpecs(
  before: Spec,
  after: Spec,
): Pick<DefinitionPreview, 'fields' | 'scopes' | 'hosts' | 'authTypes'> {
  const places = [null, ...Object.keys(after.auth_specification)].filter(
    (authType) => authType === null || Object.hasOwn(before.auth_specification, authType),
  )
  const pairs = places.map(
    (authType) => [authType, inputOf(before, authType), inputOf(after, authType)] as const,
  )
  const pick = (
    keep: (name: string, old: InputSpecification, now: InputSpecification) => boolean,
  ) =>
    pairs.flatMap(([authType, old = {}, now = {}]): PreviewField[] =>
      namesOf(old, now)
        .filter((name) => keep(name, old, now))
        .map((name) => ({ authType, name })),
    )
  return {
    fields: {
      added: pick((name, old, now) => !has(old, name) && has(now, name)),
      removed: pick((name, old, now) => has(old, name) && !has(now, name)),
      changed: pick(
        (name, old, now) => has(old, name) && has(now, name) && differs(name, old, now),
      ),
      nowRequired: pick(
        (name, old, now) => Boolean(now.required?.includes(name)) && !old.required?.includes(name),
      ),
    },
    scopes: difference(scopesOf(before), scopesOf(after)),
    hosts: difference(hostsOf(before), hostsOf(after)),
    authTypes: difference(
      Object.keys(before.auth_specification),
      Object.keys(after.auth_specification),
    ),
  }
}

function inputOf(spec: Spec, authType: string | null): InputSpecification | undefined {
  return authType === null
    ? spec.other_inputs?.input_specification
    : spec.auth_specification[authType]?.input_specification
}

function namesOf(...inputs: readonly InputSpecification[]): string[] {
  return [...new Set(inputs.flatMap(({ properties }) => Object.keys(properties ?? {})))].toSorted()
}

function has({ properties }: InputSpecification, name: string): boolean {
  return Object.hasOwn(properties ?? {}, name)
}

function differs(name: string, old: InputSpecification, now: InputSpecification): boolean {
  return JSON.stringify(old.properties?.[name]) !== JSON.stringify(now.properties?.[name])
}

function scopesOf({ auth_specification: types }: Spec): string[] {
  return [...new Set(Object.values(types).flatMap((type) => type.default_scopes ?? []))]
}

/** Where the bundle may go, and where we send people, credentials and calls ourselves. */
function hostsOf(spec: Spec): string[] {
  const urls = [spec, ...Object.values(spec.auth_specification)].flatMap((place) =>
    URLS.map((name) => (place as Readonly<Record<string, unknown>>)[name]),
  )
  const named = urls.flatMap((url) => /^https?:\/\/([^/?#:]+)/i.exec(String(url))?.[1] ?? [])
  const listed = spec['x-hosts'] ?? ['*']
  return [...new Set([...listed, ...named.map((host) => host.toLowerCase())])]
}

const URLS = [
  ...['authorization_url', 'token_url', 'refresh_url', 'revocation_url'],
  ...['pushed_authorization_request_url', 'api_base_url'],
]

function difference(before: readonly string[], after: readonly string[]) {
  const old = new Set(before)
  const now = new Set(after)
  return {
    added: after.filter((each) => !old.has(each)),
    removed: before.filter((each) => !now.has(each)),
  }
}
