import {
  createStandardRevocation,
  findRevocationProblem,
  MAX_REVOCATION_REQUESTS,
} from '@linchpin/kit/entry'
import type {
  AuthErrorRule,
  AuthErrorValue,
  TokenExchange as DeclaredExchange,
  GrantedScopes,
  InputProperty,
  ParamNames,
  RefreshErrorRule,
  RevocationSpecification,
  Spec,
  TokenExchangeRequest,
} from '@linchpin/runner'
import type { CallbackValues, TemplateFields } from '../template.ts'

/** Name and value pairs. A name may occur more than once (RFC 8707 section 2). */
export type ParamList = readonly (readonly [name: string, value: string])[]

/** The OAuth 2.0 settings of one auth type of a spec, normalized. URLs and parameters still contain `${name}`. */
export interface OAuthType {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** The refresh endpoint. Defaults to the token URL. */
  readonly refreshUrl: string
  /** The requests that revoke a token: that of RFC 7009, or those that the spec declares. Empty if there is no revocation. */
  readonly revocation: readonly RevocationSpecification[]
  /** RFC 9126. Undefined if authorization requests are not pushed. */
  readonly pushedRequestUrl: string | undefined
  readonly authorizationParams: ParamList
  readonly tokenParams: ParamList
  readonly refreshParams: ParamList
  readonly defaultScopes: readonly string[]
  readonly scopeSeparator: string
  /** `x-granted-scopes`: how the provider names what it has granted. */
  readonly grantedScopes: GrantedScopes
  /** `x-required-scopes`: what CHECK and IDENTITY need. */
  readonly requiredScopes: readonly string[]
  /** `x-incremental`: whether a request for what is missing leaves the rest granted. */
  readonly isIncremental: boolean
  /** Client authentication: `client_secret_post` or `client_secret_basic` (RFC 6749 section 2.3.1). */
  readonly authorizationMethod: 'body' | 'header'
  readonly bodyFormat: 'form' | 'json'
  /** PKCE with S256 (RFC 7636). */
  readonly usesPkce: boolean
  /** `x-issuer`: the exact `iss` that the provider sends (RFC 9207). */
  readonly issuer: string | undefined
  /** `x-refresh: "always"`: the provider issues refresh tokens without `offline_access` or a similar scope. */
  readonly alwaysIssuesRefreshTokens: boolean
  /** `x-renew`: how access tokens are exchanged for newer ones without refresh tokens. */
  readonly exchanges: OAuthExchanges | undefined
  /** `x-revokes`: what one revocation request ends. Undefined if the spec does not declare it. */
  readonly revokes: 'token' | 'grant' | undefined
  /** `x-refresh-errors`: what responses to a refresh mean at this provider. */
  readonly refreshErrors: RefreshErrorRules
  /** `x-param-names`: what the provider calls parameters of RFC 6749. */
  readonly paramNames: ParamNames
  /** `x-redirect-name`: what the provider calls the value to send as `redirect_uri`, which OAuth apps have. */
  readonly redirectName: string | undefined
  /** Callback parameters to store with the account, such as `realmId`. */
  readonly callbackParams: readonly string[]
  /** `x-hosts`: the hosts that the bundle may call. Undefined: any host. */
  readonly hosts: readonly string[] | undefined
  /** Fields that may appear in the host or at the start of a URL. */
  readonly templateFields: TemplateFields
  /**
   * The URL of the server that says where people sign in. With one, the URLs above are empty until `bindToServer` has set them, so
   * that nothing can be sent before. Undefined if the spec has them.
   */
  readonly discoveredFrom: string | undefined
}

/** A GET request that returns a token for another one. URL and parameters still contain `${name}`. */
export interface TokenExchange {
  readonly url: string
  readonly params: ParamList
}

/** The exchanges of access tokens. */
export interface OAuthExchanges {
  /** Right after the sign-in. */
  readonly first: TokenExchange
  /** From then on. */
  readonly next: TokenExchange
}

/**
 * Parses the OAuth settings of an auth type. Undefined if the spec has no such type, or if it lacks `authorization_url`
 * or `token_url` and has no server that says them. Values of unexpected types are coerced where their meaning is clear, and dropped otherwise.
 */
export function parseOAuthType(spec: Spec, authType: string): OAuthType | undefined {
  const types = parsedTypes.get(spec) ?? new Map<string, OAuthType | undefined>()
  parsedTypes.set(spec, types)
  if (!types.has(authType) && Object.hasOwn(spec.auth_specification, authType))
    types.set(authType, parse(spec, authType))
  return types.get(authType)
}

/** Specs that many requests share are parsed once. */
const parsedTypes = new WeakMap<Spec, Map<string, OAuthType | undefined>>()

function parse(spec: Spec, authType: string): OAuthType | undefined {
  const auth: Readonly<Record<string, unknown>> = { ...spec.auth_specification[authType] }
  const discoveredFrom = auth.discovery === 'mcp' ? nonEmptyText(auth.server_url) : undefined
  const isDiscovered = discoveredFrom !== undefined
  const authorizationUrl = isDiscovered ? '' : nonEmptyText(auth.authorization_url)
  const tokenUrl = isDiscovered ? '' : nonEmptyText(auth.token_url)
  if (authorizationUrl === undefined || tokenUrl === undefined) return undefined
  return {
    authorizationUrl,
    tokenUrl,
    refreshUrl: nonEmptyText(auth.refresh_url) ?? tokenUrl,
    revocation: parseRevocation(auth),
    pushedRequestUrl: nonEmptyText(auth.pushed_authorization_request_url),
    authorizationParams: parseParams(auth.authorization_params),
    tokenParams: parseParams(auth.token_params),
    refreshParams: parseParams(auth.refresh_params),
    defaultScopes: toTextList(auth.default_scopes),
    scopeSeparator: separator(auth.scope_separator) ?? separator(auth.scope_seperator) ?? ' ',
    grantedScopes: parseGrantedScopes(auth['x-granted-scopes']),
    requiredScopes: toTextList(auth['x-required-scopes']),
    isIncremental: auth['x-incremental'] === true,
    authorizationMethod: parseClientAuthMethod(auth),
    bodyFormat: nonEmptyText(auth.body_format)?.toLowerCase() === 'json' ? 'json' : 'form',
    usesPkce: !isTrue(auth.disable_pkce),
    issuer: nonEmptyText(auth['x-issuer']),
    alwaysIssuesRefreshTokens: auth['x-refresh'] === 'always',
    exchanges: parseExchanges(auth['x-renew']),
    revokes: REVOCATION_SCOPES.find((scope) => scope === auth['x-revokes']),
    refreshErrors: compileRefreshErrors(auth['x-refresh-errors']),
    paramNames: parseParamNames(auth['x-param-names']),
    redirectName: nonEmptyText(auth['x-redirect-name']),
    callbackParams: toTextList(auth.callback_params),
    hosts: spec['x-hosts'],
    templateFields: getTemplateFields(spec, authType),
    discoveredFrom,
  }
}

type Members = Readonly<Record<string, unknown>>

/**
 * The requests that revoke a token of an auth type: those of `x-revocation`, otherwise that of RFC 7009 section 2.1 to
 * `revocation_url`. Skips requests that are not valid, because older stored specs were not validated.
 */
function parseRevocation(auth: Members): readonly RevocationSpecification[] {
  const declared: unknown = auth['x-revocation']
  if (Array.isArray(declared))
    return declared.slice(0, MAX_REVOCATION_REQUESTS).filter(isRevocationRequest)
  const url = typeof auth.revocation_url === 'string' ? auth.revocation_url.trim() : ''
  return url === '' ? [] : [createStandardRevocation(url, parseClientAuthMethod(auth))]
}

function isRevocationRequest(value: unknown): value is RevocationSpecification {
  if (typeof value !== 'object' || value === null) return false
  const { method = 'POST', url, query, headers, form, json, auth_method } = value as Members
  return (
    METHODS.has(method) &&
    typeof url === 'string' &&
    [query, headers, form, json].every(isTextMap) &&
    (auth_method === undefined || auth_method === 'body' || auth_method === 'header') &&
    findRevocationProblem(value as RevocationSpecification) === undefined
  )
}

const METHODS: ReadonlySet<unknown> = new Set(['DELETE', 'GET', 'POST'])

function isTextMap(value: unknown): boolean {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((each) => typeof each === 'string')
}

/** The parameters that a provider may call something else, by their names in RFC 6749. */
export const PARAM_NAMES = [
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'refresh_token',
] as const satisfies readonly (keyof ParamNames)[]

/** Why a name cannot stand for a parameter, without a period: it is that of another one. Undefined if all can. */
export function findParamNameError(names: ParamNames): string | undefined {
  const all = Object.values(names)
  const taken = all.find((name, at) => OTHER_NAMES.has(name) || all.indexOf(name) !== at)
  return taken && `${taken}, which is the name of another parameter`
}

/** Of RFC 6749, RFC 7009, RFC 7636, RFC 9101, RFC 9126 and RFC 9207. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  ...PARAM_NAMES,
  'access_token',
  'assertion',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'error',
  'error_description',
  'error_uri',
  'grant_type',
  'iss',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'token',
  'token_type_hint',
])

/** The parameters under the provider's names. */
export function renameParams(
  params: readonly (readonly [name: string, value: string])[],
  { paramNames }: Pick<OAuthType, 'paramNames'>,
): (readonly [name: string, value: string])[] {
  return params.map(([name, value]) => [paramNames[name as keyof ParamNames] ?? name, value])
}

/** Whether this is the provider's name of a parameter that Linchpin sets. */
export function isRenamedParam(
  name: string,
  { paramNames }: Pick<OAuthType, 'paramNames'>,
): boolean {
  return Object.values(paramNames).includes(name)
}

/** Reads `x-param-names`. Drops what is not a name: older stored specs were not validated. */
function parseParamNames(value: unknown): ParamNames {
  if (typeof value !== 'object' || value === null) return {}
  const names = value as Members
  return Object.fromEntries(
    PARAM_NAMES.flatMap((name) => (typeof names[name] === 'string' ? [[name, names[name]]] : [])),
  )
}

/** Older stored specs were not validated. */
function parseGrantedScopes(value: unknown): GrantedScopes {
  const { prefix, implied, unreported, ...rules } = { ...(value as Partial<GrantedScopes> | null) }
  const text = separator(rules.separator)
  const start = nonEmptyText(prefix)
  const lists = Object.entries(implied ?? {}).map(([name, scopes]) => [name, toTextList(scopes)])
  return {
    ...(text === undefined ? {} : { separator: text }),
    ...(start === undefined ? {} : { prefix: start }),
    implied: Object.fromEntries(lists),
    unreported: toTextList(unreported),
  }
}

const REVOCATION_SCOPES = ['token', 'grant'] as const

function parseExchanges(value: unknown): OAuthExchanges | undefined {
  const { first, ...request } = { ...(value as Partial<DeclaredExchange> | undefined) }
  const next = parseExchange(request)
  return next && { next, first: parseExchange(first) ?? next }
}

function parseExchange(request: Partial<TokenExchangeRequest> = {}): TokenExchange | undefined {
  const url = nonEmptyText(request.url)
  return url === undefined ? undefined : { url, params: parseParams(request.params) }
}

function nonEmptyText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.trim() || undefined
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}

/** Not trimmed, because a space is the usual separator. */
function separator(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function toTextList(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((item) => nonEmptyText(item) ?? [])
}

/** Either field may name the method, as in RFC 7591 section 2 or as the location of the credentials. */
function parseClientAuthMethod(auth: Readonly<Record<string, unknown>>): 'body' | 'header' {
  const declaredMethod = [auth.token_request_auth_method, auth.authorization_method]
    .map((value) => CLIENT_AUTH_METHODS.get(nonEmptyText(value)?.toLowerCase() ?? ''))
    .find((method) => method !== undefined)
  return declaredMethod ?? 'body'
}

const CLIENT_AUTH_METHODS: ReadonlyMap<string, 'body' | 'header'> = new Map([
  ['basic', 'header'],
  ['body', 'body'],
  ['client_secret_basic', 'header'],
  ['client_secret_post', 'body'],
  ['header', 'header'],
  ['post', 'body'],
])

function parseParams(value: unknown): ParamList {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const items: unknown[] = Array.isArray(item) ? item : [item]
    return items.flatMap((entry) => {
      const textValue = paramText(entry)
      return textValue === undefined ? [] : [[name, textValue] as const]
    })
  })
}

function paramText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  // For example OpenID Connect's `claims`: JSON inside a parameter.
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined
}

/** The fields that may determine the target of a request, for any auth type. */
export function getTemplateFields(spec: Spec, authType: string): TemplateFields {
  const properties = [
    spec.auth_specification[authType]?.input_specification?.properties,
    spec.other_inputs?.input_specification?.properties,
  ].flatMap((section) => Object.entries(section ?? {}))
  const constrainedFields = (formats: readonly string[]): Set<string> =>
    new Set(properties.filter(([, field]) => isConstrained(field, formats)).map(([name]) => name))
  const defaults = Object.fromEntries(
    properties.flatMap(([name, field]) => (field.default == null ? [] : [[name, field.default]])),
  )
  const callback = getCallbackValues(spec, authType, new Set(properties.map(([name]) => name)))
  return { host: constrainedFields([]), url: constrainedFields(['uri', 'url']), defaults, callback }
}

/** Parameters of the callback that no field constrains: only `x-hosts` limits where they may lead. */
function getCallbackValues(
  spec: Spec,
  authType: string,
  fieldNames: ReadonlySet<string>,
): CallbackValues | undefined {
  const auth: Readonly<Record<string, unknown>> = { ...spec.auth_specification[authType] }
  const names = toTextList(auth.callback_params).filter((name) => !fieldNames.has(name))
  const hosts = spec['x-hosts'] ?? []
  if (names.length === 0 || hosts.length === 0) return undefined
  const origin = /^https?:\/\/[^/?#]+/i.exec(nonEmptyText(auth.authorization_url) ?? '')?.[0]
  return { names: new Set(names), hosts, authorizationOrigin: origin }
}

/** Whether the spec limits the values of a field by a pattern, an enum or one of these formats. */
function isConstrained(field: InputProperty, formats: readonly string[]): boolean {
  return (
    typeof field.pattern === 'string' ||
    Array.isArray(field.enum) ||
    formats.includes(field.format ?? '')
  )
}

/** The compiled rules of `x-refresh-errors`, in their order. */
export type RefreshErrorRules = readonly (CompiledResponseRule & {
  readonly means: RefreshErrorRule['means']
})[]

/** Compiles `x-refresh-errors` of an auth type. Skips invalid rules, because older stored specs were not validated. */
export function compileRefreshErrors(rules: unknown): RefreshErrorRules {
  const list: readonly (Partial<RefreshErrorRule> | null)[] = Array.isArray(rules) ? rules : []
  return list.slice(0, AUTH_ERROR_LIMITS.rules).flatMap((rule) => {
    const compiled = compileResponseRule(rule)
    const means = MEANINGS.find((each) => each === rule?.means)
    return compiled === undefined || means === undefined ? [] : [{ ...compiled, means }]
  })
}

/** What the first matching rule says; undefined if none matches. The rules of the integration come before ours. */
export function getDeclaredMeaning(
  rules: RefreshErrorRules | undefined,
  status: number,
  body: unknown,
): RefreshErrorRule['means'] | undefined {
  if (rules === undefined) return undefined
  return [...rules, ...COMMON_RULES].find((rule) => matchesResponseRule(rule, status, body))?.means
}

const MEANINGS = ['temporary', 'ended', 'client'] as const

/** Limits of the rules of `x-auth-errors`, `x-scope-errors` and `x-refresh-errors`. */
export const AUTH_ERROR_LIMITS = { rules: 20, paths: 5, values: 20, steps: 10, characters: 200 }

/**
 * Meta's numeric codes, for Facebook, Instagram and Threads: the same in every product of it, and `OAuthException` is the type of
 * all errors. 102 and 190: the token or the session has ended. 101: the app. The others are outages and limits.
 */
const COMMON_RULES: RefreshErrorRules = compileRefreshErrors([
  { match: { 'error.is_transient': true }, means: 'temporary' },
  {
    match: { 'error.type': 'OAuthException', 'error.code': [2, 4, 17, 32, 341, 613] },
    means: 'temporary',
  },
  { match: { 'error.type': 'OAuthException', 'error.code': [102, 190] }, means: 'ended' },
  { match: { 'error.type': 'OAuthException', 'error.code': 101 }, means: 'client' },
])

/** A compiled rule about the status and the JSON body of a response. */
export interface CompiledResponseRule {
  /** Undefined: any status. */
  readonly statuses: readonly number[] | undefined
  readonly conditions: readonly {
    readonly steps: readonly string[]
    readonly expected: AuthErrorValue
  }[]
}

/** Undefined if the rule is invalid: older stored specs were not validated. */
export function compileResponseRule(
  rule: Partial<AuthErrorRule> | null,
): CompiledResponseRule | undefined {
  const { status, match = {} } = rule ?? {}
  if (typeof match !== 'object' || match === null) return undefined
  const conditions = Object.entries(match).map(([path, expected]) => ({
    steps: parseFieldPath(path),
    expected,
  }))
  if (conditions.length > AUTH_ERROR_LIMITS.paths) return undefined
  if (conditions.length === 0 && status === undefined) return undefined
  return { statuses: status === undefined ? undefined : [status].flat(), conditions }
}

/** Whether a response matches a rule. Takes time linear in the size of the body for each condition. */
export function matchesResponseRule(
  { statuses, conditions }: CompiledResponseRule,
  status: number,
  body: unknown,
): boolean {
  return (
    (statuses === undefined || statuses.includes(status)) &&
    conditions.every(({ steps, expected }) => matchesPath(body, steps, 0, expected))
  )
}

/** Splits a path such as `errors.*.extensions.code`. `\.` is a dot inside a name. */
export function parseFieldPath(path: string): string[] {
  return path.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'))
}

/** `*` matches any element of an array. */
function matchesPath(
  value: unknown,
  steps: readonly string[],
  index: number,
  expected: AuthErrorValue,
): boolean {
  const step = steps[index]
  if (step === undefined) return matchesValue(value, expected)
  if (step === '*' && Array.isArray(value))
    return value.some((each) => matchesPath(each, steps, index + 1, expected))
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return false
  return matchesPath((value as Record<string, unknown>)[step], steps, index + 1, expected)
}

/** The values at a path of a JSON body; `*` stands for every element of an array. */
export function readFieldPath(body: unknown, steps: readonly string[]): unknown[] {
  let values: unknown[] = [body]
  for (const step of steps)
    values = values.flatMap((value) => {
      if (step === '*' && Array.isArray(value)) return value
      if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return []
      return [(value as Record<string, unknown>)[step]]
    })
  // A list is its elements, whether or not the path says so.
  return values.flat()
}

function matchesValue(actual: unknown, expected: AuthErrorValue): boolean {
  if (Array.isArray(expected)) return expected.includes(actual as never)
  if (typeof expected === 'object' && expected !== null && 'startsWith' in expected)
    return (
      typeof actual === 'string' &&
      typeof expected.startsWith === 'string' &&
      actual.startsWith(expected.startsWith)
    )
  return actual === expected
}

/** An OAuth type and its name in the spec. */
export interface NamedOAuthType {
  readonly authType: string
  readonly type: OAuthType
}

/** All OAuth types of a spec, in the order of the spec. */
export function listOAuthTypes(spec: Spec): NamedOAuthType[] {
  return Object.keys(spec.auth_specification).flatMap((authType) => {
    const type = parseOAuthType(spec, authType)
    return type === undefined ? [] : [{ authType, type }]
  })
}

/** The OAuth type that is used when the request names none: `OAuth2`, otherwise the first. */
export function getDefaultOAuthType(spec: Spec): NamedOAuthType | undefined {
  const types = listOAuthTypes(spec)
  return types.find(({ authType }) => authType === 'OAuth2') ?? types[0]
}
