import type { InputSpecification, Spec } from '@linchpin/runner'
import type { DefinitionPreview, PreviewField } from '../schemas.ts'

/** The differences between two specs. */
export function compareSpecs(
  before: Spec,
  after: Spec,
): Pick<DefinitionPreview, 'fields' | 'scopes' | 'hosts' | 'authTypes'> {
  const commonAuthTypes = [null, ...Object.keys(after.auth_specification)].filter(
    (authType) => authType === null || Object.hasOwn(before.auth_specification, authType),
  )
  const pairs = commonAuthTypes.map(
    (authType) =>
      [
        authType,
        getInputSpecification(before, authType),
        getInputSpecification(after, authType),
      ] as const,
  )
  const selectFields = (
    predicate: (name: string, previous: InputSpecification, now: InputSpecification) => boolean,
  ) =>
    pairs.flatMap(([authType, previous = {}, now = {}]): PreviewField[] =>
      listFieldNames(previous, now)
        .filter((name) => predicate(name, previous, now))
        .map((name) => ({ authType, name })),
    )
  return {
    fields: {
      added: selectFields(
        (name, previous, now) => !hasField(previous, name) && hasField(now, name),
      ),
      removed: selectFields(
        (name, previous, now) => hasField(previous, name) && !hasField(now, name),
      ),
      changed: selectFields(
        (name, previous, now) =>
          hasField(previous, name) && hasField(now, name) && isFieldChanged(name, previous, now),
      ),
      nowRequired: selectFields(
        (name, previous, now) =>
          Boolean(now.required?.includes(name)) && !previous.required?.includes(name),
      ),
    },
    scopes: compareLists(getDefaultScopes(before), getDefaultScopes(after)),
    hosts: compareLists(listReachableHosts(before), listReachableHosts(after)),
    authTypes: compareLists(
      Object.keys(before.auth_specification),
      Object.keys(after.auth_specification),
    ),
  }
}

function getInputSpecification(
  spec: Spec,
  authType: string | null,
): InputSpecification | undefined {
  return authType === null
    ? spec.other_inputs?.input_specification
    : spec.auth_specification[authType]?.input_specification
}

function listFieldNames(...inputs: readonly InputSpecification[]): string[] {
  return [...new Set(inputs.flatMap(({ properties }) => Object.keys(properties ?? {})))].toSorted()
}

function hasField({ properties }: InputSpecification, name: string): boolean {
  return Object.hasOwn(properties ?? {}, name)
}

function isFieldChanged(
  name: string,
  previous: InputSpecification,
  now: InputSpecification,
): boolean {
  return JSON.stringify(previous.properties?.[name]) !== JSON.stringify(now.properties?.[name])
}

function getDefaultScopes({ auth_specification: types }: Spec): string[] {
  return [...new Set(Object.values(types).flatMap((type) => type.default_scopes ?? []))]
}

/** The hosts that the bundle may call, and those to which Linchpin sends users, credentials and requests. */
function listReachableHosts(spec: Spec): string[] {
  const urls = [spec, ...Object.values(spec.auth_specification)].flatMap((section) =>
    URL_MEMBERS.map((name) => (section as Readonly<Record<string, unknown>>)[name]),
  )
  const urlHosts = urls.flatMap((url) => /^https?:\/\/([^/?#:]+)/i.exec(String(url))?.[1] ?? [])
  const allowedHosts = spec['x-hosts'] ?? ['*']
  return [...new Set([...allowedHosts, ...urlHosts.map((host) => host.toLowerCase())])]
}

const URL_MEMBERS = [
  ...['authorization_url', 'token_url', 'refresh_url', 'revocation_url'],
  ...['pushed_authorization_request_url', 'api_base_url'],
]

function compareLists(before: readonly string[], after: readonly string[]) {
  const previous = new Set(before)
  const now = new Set(after)
  return {
    added: after.filter((each) => !previous.has(each)),
    removed: before.filter((each) => !now.has(each)),
  }
}
