import type { AuthKind } from '../auth/auth-kind.ts'
import type { Definition } from '../definition.ts'
import type { Fields } from '../spec/field.ts'
import { lintCheck } from './lint-check.ts'

/** What is wrong with the ways to authenticate: scopes, parameters, names that nothing fills. */
export function lintAuth(definition: Definition): string[] {
  return Object.entries(definition.auth).flatMap(([authType, kind]) =>
    [...lintOAuth(kind), ...lintBefore(definition, kind), ...lintNames(definition, kind)].map(
      (fault) => `${authType}: ${fault}`,
    ),
  )
}

function lintOAuth({ spec, scopes: asked }: AuthKind): string[] {
  const { names: scopes = [], separator = ' ' } = asked ?? {}
  const params = Object.keys(spec.authorization_params ?? {})
  const inTokens = Object.keys({ ...spec.token_params, ...spec.refresh_params })
  const issuer = spec['x-issuer']
  return [
    ...scopes
      .filter((scope) => scope.includes(separator))
      .map((scope) => `scope "${scope}" holds the separator.`),
    ...scopes
      .filter((scope, at) => scopes.indexOf(scope) !== at)
      .map((scope) => `scope ${scope} is there twice.`),
    ...(scopes.every((scope) => scope.trim() !== '') ? [] : ['a scope is empty.']),
    ...inTokens
      .filter((name) => GRANT.has(name))
      .map((name) => `parameters of token requests must not set ${name}: Linchpin does.`),
    ...(issuer === undefined || /^https:\/\//.test(String(issuer))
      ? []
      : ['issuer must be an https URL.']),
    ...params
      .filter((name) => OURS.has(name))
      .map((name) => `authorizationParams must not set ${name}: Linchpin does.`),
  ]
}

const GRANT = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
])

const OURS = new Set([
  'state',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
])

/** Names in what is asked before anybody has signed in: only fields and the app can fill them. */
function lintBefore({ inputs }: Definition, { spec, fields }: AuthKind): string[] {
  const { authorization_url, token_url, authorization_params, token_params } = spec
  const pushed = spec.pushed_authorization_request_url
  const asked = [authorization_url, token_url, authorization_params, token_params, pushed]
  const known = new Set(['client_id', ...Object.keys({ ...inputs, ...fields })])
  return [...namesIn(asked)]
    .filter((name) => !known.has(name))
    .map((name) => `nothing fills \${${name}} before sign-in.`)
}

/** Names in templates and rules that nothing fills, and fields that nothing uses. */
function lintNames(definition: Definition, kind: AuthKind): string[] {
  const { inputs = {}, apiBaseUrl, headers } = definition
  const check = kind.check ?? definition.check
  const identity = kind.identity ?? definition.identity
  const known = new Set([...Object.keys({ ...inputs, ...kind.fields }), ...kind.facts])
  const said = [
    kind.apiBaseUrl ?? apiBaseUrl,
    headers,
    check,
    requestOf(identity),
    kind.credentials,
    kind.templates,
    kind.urls,
    kind.spec.refresh_params,
  ]
  const used = namesIn(said)
  const unknown = [...used].filter((name) => !known.has(name))
  // Functions use fields where nobody can see it.
  const isOpen = [check, identity, headers].some((each) => typeof each === 'function')
  const usedBefore = namesIn(kind.spec)
  const idle = Object.keys(kind.fields).filter((name) => !used.has(name) && !usedBefore.has(name))
  return [
    ...unknown.map((name) => `nothing fills \${${name}}.`),
    ...(isOpen ? [] : idle.map((name) => `nothing uses the field ${name}.`)),
    ...lintSent(definition, kind),
    ...lintCheck(check),
    ...lintRules(definition, check),
  ]
}

/** Headers that cannot be sent, and credentials that anybody may read. */
function lintSent({ headers }: Definition, { credentials, fields, spec }: AuthKind): string[] {
  const own = typeof headers === 'function' ? {} : headers
  const names = Object.keys({ ...own, ...credentials.headers })
  const isSecret = ({ property }: Fields[string]) =>
    property.format === 'password' || property['x-secret'] === true
  const asks = namesIn(credentials).size > 0 && spec.authorization_url === undefined
  return [
    ...names
      .filter((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      .map((name) => `"${name}" is no name of a header.`),
    ...(asks && !Object.values(fields).some(isSecret)
      ? ['nothing that it asks for is secret: make the credential secret(…).']
      : []),
  ]
}

/** Without what is filled from the answer. */
function requestOf(identity: Definition['identity']): unknown {
  if (typeof identity !== 'object') return undefined
  const { id: _id, label: _label, avatarUrl: _avatarUrl, ...request } = identity
  return request
}

function namesIn(value: unknown): ReadonlySet<string> {
  const found = (JSON.stringify(value) ?? '').matchAll(/\$\{([^}]*)\}/g)
  return new Set([...found].map(([, name = '']) => name))
}

function lintRules(definition: Definition, check: Definition['check']): string[] {
  const fields = allFields(definition)
  const rules = typeof check === 'object' ? (check.errors ?? []) : []
  return rules
    .flatMap(({ field }) => (field === undefined || fields.has(field) ? [] : [field]))
    .map((field) => `a rule points to ${field}, which is no field.`)
}

function allFields({ auth, inputs = {} }: Definition): ReadonlySet<string> {
  const names = Object.values(auth).flatMap(({ fields }) => Object.keys(fields))
  return new Set([...names, ...Object.keys(inputs)])
}
