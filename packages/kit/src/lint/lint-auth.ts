import type { AuthKind } from '../auth/auth-kind.ts'
import type { Definition } from '../definition.ts'
import type { DeclaredCheck } from '../spec/check-rules.ts'

/** What is wrong with the ways to authenticate: scopes, parameters, names that nothing fills. */
export function lintAuth(definition: Definition): string[] {
  return Object.entries(definition.auth).flatMap(([authType, kind]) =>
    [...lintOAuth(kind), ...lintNames(definition, kind)].map((fault) => `${authType}: ${fault}`),
  )
}

function lintOAuth({ spec }: AuthKind): string[] {
  const {
    authorization_url: url,
    default_scopes: scopes = [],
    scope_separator: separator = ' ',
  } = spec
  if (url === undefined) return []
  const params = Object.keys(spec.authorization_params ?? {})
  return [
    ...(/^https:\/\//.test(url) || url.startsWith('${') ? [] : ['authorizationUrl must be https.']),
    ...scopes
      .filter((scope) => scope.includes(separator))
      .map((scope) => `scope "${scope}" holds the separator.`),
    ...scopes
      .filter((scope, at) => scopes.indexOf(scope) !== at)
      .map((scope) => `scope ${scope} is there twice.`),
    ...params
      .filter((name) => OURS.has(name))
      .map((name) => `authorizationParams must not set ${name}: Linchpin does.`),
  ]
}

const OURS = new Set([
  'state',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
])

/** Names in templates and rules that nothing fills. */
function lintNames(definition: Definition, kind: AuthKind): string[] {
  const { inputs = {}, apiBaseUrl, headers } = definition
  const check = kind.check ?? definition.check
  const identity = kind.identity ?? definition.identity
  const fields = Object.keys({ ...inputs, ...kind.fields })
  const known = new Set([...fields, ...kind.facts])
  const said = [
    kind.apiBaseUrl ?? apiBaseUrl,
    headers,
    check,
    identity,
    kind.credentials,
    kind.urls,
  ]
  const found = [...JSON.stringify(said).matchAll(/\$\{([^}]*)\}/g)].map(([, name = '']) => name)
  const unknown = found.filter((name) => !known.has(name))
  const rules = typeof check === 'object' ? ((check as DeclaredCheck).errors ?? []) : []
  const others = allFields(definition)
  const lost = rules.flatMap(({ field }) =>
    field === undefined || others.has(field) ? [] : [field],
  )
  return [
    ...[...new Set(unknown)].map((name) => `nothing fills \${${name}}.`),
    ...lost.map((name) => `a rule points to ${name}, which is no field.`),
  ]
}

function allFields({ auth, inputs = {} }: Definition): ReadonlySet<string> {
  const names = Object.values(auth).flatMap(({ fields }) => Object.keys(fields))
  return new Set([...names, ...Object.keys(inputs)])
}
