import { isDeepStrictEqual } from 'node:util'
import type {
  BodyFormat,
  ClientPlace,
  Provider,
  ProviderEndpoint,
  ProviderLogin,
  ProviderMethod,
  ProviderSignIn,
  Reply,
  Revocation,
  TokenExchange,
} from '../provider.ts'
import { toUrlPattern, withoutQuery } from '../url-pattern.ts'

/** The part of a row of evidence that the emulator is built from. */
export interface EvidenceFact {
  readonly path: string
  readonly value: unknown
}

/** What is known about a provider. */
export interface ProviderSource {
  readonly key: string
  readonly name: string
  /** The names of the authentication methods. */
  readonly authTypes: readonly string[]
  /** Those with a sign-in: without evidence, nothing else says which. */
  readonly signInTypes: readonly string[]
  /** Empty for an integration in code: its fixtures are the only description then. */
  readonly facts: readonly EvidenceFact[]
  /** The fixtures, as `loadFixtures` returns them. */
  readonly fixtures: Fixture & { readonly types?: Readonly<Record<string, Partial<Fixture>>> }
}

/** The properties of fixtures that are used here. */
interface Fixture {
  readonly endpoint: string
  readonly sends: string | readonly string[]
  readonly good: unknown
  readonly bad?: unknown
  readonly insufficient?: unknown
  readonly limited?: unknown
  readonly login?: {
    readonly endpoint: string
    readonly sends?: string | readonly string[]
    readonly json?: Readonly<Record<string, unknown>>
    readonly form?: Readonly<Record<string, string>>
    readonly good?: unknown
    readonly bad?: unknown
  }
  readonly signIn?: Readonly<Record<string, unknown>>
  readonly endpoints?: Readonly<Record<string, unknown>>
  readonly config?: Readonly<Record<string, unknown>>
}

/**
 * Describes a provider by two witnesses: the evidence has the URLs, methods and parameters, the fixtures have responses, and
 * examples of the same URLs.
 *
 * @throws Error when they contradict each other, when a request has no documented response, or when the evidence has a property
 * that the emulator does not know
 */
export function describeProvider(source: ProviderSource): Provider {
  const { key, name, authTypes } = source
  const methods = authTypes.map((authType) => {
    const hasSignIn = source.signInTypes.includes(authType)
    const describe = () =>
      describeMethod(new Facts(source, authType), fixtureOf(source, authType), hasSignIn)
    return [authType, inContext(`${key}, ${authType}`, describe)] as const
  })
  const examples = methods.flatMap(([, { endpoints }]) => endpoints.map(({ example }) => example))
  const base = source.facts.find(({ path }) => path === 'base')?.value
  return {
    key,
    name,
    base: exampleBase(base as string | undefined, examples),
    methods: Object.fromEntries(methods),
  }
}

function inContext<T>(context: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new Error(`${context}: ${(error as Error).message}`)
  }
}

/** The base URL with the values of an example; without one, the host of the first example. */
function exampleBase(template: string | undefined, examples: readonly string[]): string {
  const [first = ''] = examples
  if (template === undefined) return new URL(first).origin
  const below = toUrlPattern(`${template}/\${rest}`).source.replace('[^/?#]+$', '.*')
  const example = examples.find((each) => new RegExp(below).test(each))
  if (example === undefined) return template.includes('${') ? new URL(first).origin : template
  const { origin, pathname } = new URL(example)
  const [, fixed = ''] = /^(?:https:\/\/[^/]*|\$\{[^}]*\})(.*)$/s.exec(template) ?? []
  return origin + pathname.split('/').slice(0, fixed.split('/').length).join('/')
}

function fixtureOf({ fixtures }: ProviderSource, authType: string): Fixture {
  return { ...fixtures, ...fixtures.types?.[authType] }
}

/** The facts of one authentication method: its own before those of all. */
class Facts {
  readonly #byPath: ReadonlyMap<string, unknown>
  readonly #prefix: string
  readonly isEmpty: boolean

  constructor({ facts }: ProviderSource, authType: string) {
    this.#prefix = `auth.${authType}.`
    this.#byPath = new Map(facts.map(({ path, value }) => [path, value]))
    this.isEmpty = facts.length === 0
    const unknown = facts.filter(
      ({ path }) =>
        (path.startsWith(this.#prefix) || !path.startsWith('auth.')) &&
        !KNOWN.test(path.startsWith(this.#prefix) ? path.slice(this.#prefix.length) : path),
    )
    if (unknown.length > 0)
      throw new Error(`the emulator does not know ${unknown.map(({ path }) => path).join(', ')}`)
  }

  /** The value of a fact of this method, or of all. */
  get(path: string): unknown {
    return this.#byPath.get(this.#prefix + path) ?? this.#byPath.get(path)
  }

  text(path: string): string | undefined {
    const value = this.get(path)
    return value === undefined ? undefined : String(value)
  }

  /** The facts below a path, by their names: those of this method replace those of all. */
  below(path: string): readonly (readonly [name: string, value: unknown])[] {
    for (const start of [`${this.#prefix}${path}.`, `${path}.`]) {
      const found = [...this.#byPath].filter(([each]) => each.startsWith(start))
      if (found.length > 0)
        return found.map(([each, value]) => [each.slice(start.length), value] as const)
    }
    return []
  }

  record(path: string): Record<string, string> {
    return Object.fromEntries(this.below(path).map(([name, value]) => [name, String(value)]))
  }
}

/** What evidence may be about, without the prefix of a method: what the emulator does, and what only people and forms need. */
const KNOWN =
  /^(?:docs|register|base|hosts(?:\.\d+)?|(?:.*\.)?fields\..*|(?:headers|query)\.[^.]+|basic|authorize|token|refreshUrl|revoke(?:\..+)?|revokes|par|issuer|redirectName|paramNames\.[^.]+|renew\.(?:first\.)?(?:url|params\.[^.]+)|pkce|client|body|refresh|scopes\.(?:default\.\d+|separator)|(?:authorizeParams|tokenParams|refreshParams)\.[^.]+|(?:tokenResponse|callbackParams)\.\d+|(?:auth|refresh)Errors\.\d+|clientCredentials\.(?:token|client|body|params\.[^.]+|scopes\.(?:default\.\d+|separator))|login\..+|retry\.(?:remaining|reset|unit)|(?:check|identity|after\.\d+)\.(?:get|post|json|expect|ok|where|claim|list|value|(?:query|headers|form)\..+|errors\.\d+|(?:id|label|avatarUrl)(?:\.\d+)?))$/

function describeMethod(facts: Facts, fixture: Fixture, hasSignIn: boolean): ProviderMethod {
  const signIn = hasSignIn ? describeSignIn(facts, fixture) : undefined
  const login = hasSignIn ? undefined : describeLogin(facts, fixture)
  const retry = facts.record('retry')
  const lines = [fixture.sends].flat()
  return {
    sends: lines.filter((line) => line.includes('${')),
    headers: [
      ...new Set([
        ...lines.filter((line) => !line.includes('${')).map((line) => line.split(':')[0] ?? ''),
        ...facts
          .below('headers')
          .filter(([name, value]) => !String(value).includes('${') && name !== 'User-Agent')
          .map(([name]) => name),
      ]),
    ],
    endpoints: describeEndpoints(facts, fixture),
    bad: toReply(fixture.bad, 401),
    insufficient: toReply(fixture.insufficient, 403),
    limited: toReply(fixture.limited, 429),
    ...(retry.remaining !== undefined && {
      retry: { ...retry, remaining: retry.remaining },
    }),
    ...(signIn !== undefined && { signIn }),
    ...(login !== undefined && { login }),
  }
}

/** A failure of the fixtures; without one, or if the provider has none, its status alone. */
function toReply(value: unknown, status: number): Reply {
  const given = Object(value) as Partial<Reply>
  if (typeof given.status !== 'number' || !('body' in given)) return { status, body: {} }
  const { headers } = given
  return { status: given.status, body: given.body, ...(headers !== undefined && { headers }) }
}

function toSuccess(value: unknown): Reply {
  const given = Object(value) as Partial<Reply>
  // A reply of the kit has headers in any case; a body may have a property `status`.
  return typeof given.status === 'number' && 'headers' in given && 'body' in given
    ? toReply(value, 200)
    : { status: 200, body: value }
}

/** The requests that the evidence names, each with the response that the fixtures have for it. */
function describeEndpoints(facts: Facts, fixture: Fixture): ProviderEndpoint[] {
  const documented = [
    [fixture.endpoint, fixture.good] as const,
    ...Object.entries(fixture.endpoints ?? {}),
  ].map(([endpoint, good]) => parseEndpoint(endpoint, good))
  const requests = listRequests(facts, documented[0]?.example ?? '')
  const unanswered = requests.find((request) => !documented.some((one) => fits(request, one)))
  if (unanswered !== undefined)
    throw new Error(
      `the evidence has ${unanswered.method} ${unanswered.url}, for which the fixtures have no response`,
    )
  const unexpected = documented.find((one) => !requests.some((request) => fits(request, one)))
  if (unexpected !== undefined && !facts.isEmpty)
    throw new Error(
      `the fixtures have ${unexpected.method} ${unexpected.example}, which the evidence does not name`,
    )
  return documented.map((one) => {
    const request = requests.find((each) => fits(each, one))
    return {
      ...one,
      url: request?.url ?? withoutQuery(one.example),
      query: { ...one.query, ...request?.query },
    }
  })
}

function fits(request: ProviderRequest, { method, example }: Omit<ProviderEndpoint, 'url'>) {
  return request.method === method && toUrlPattern(request.url).test(withoutQuery(example))
}

function parseEndpoint(endpoint: string, good: unknown): Omit<ProviderEndpoint, 'url'> {
  const [method = '', example = ''] = endpoint.split(/\s+/)
  const query = Object.fromEntries(new URL(example).searchParams)
  return { method, example, query, good: toSuccess(good) }
}

interface ProviderRequest {
  readonly method: string
  readonly url: string
  readonly query: Readonly<Record<string, string>>
}

/** The requests that the evidence names. Its property is the method; a path is below the base URL. */
function listRequests(facts: Facts, example: string): ProviderRequest[] {
  const base = facts.text('base') ?? new URL(example).origin
  const names = ['check', 'identity', ...facts.below('after').map(([name]) => `after.${name[0]}`)]
  return [...new Set(names)].flatMap((name) => {
    const own = new Map(facts.below(name))
    const path = own.get('get') ?? own.get('post')
    if (path === undefined) return []
    const url = /^(?:https:|\$\{)/.test(`${path}`) ? `${path}` : `${base}${path}`
    const params = [...own].filter(([each]) => each.startsWith('query.'))
    return [
      {
        method: own.has('get') ? 'GET' : 'POST',
        url: withoutQuery(url),
        query: {
          ...Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? '')),
          ...Object.fromEntries(params.map(([each, value]) => [each.slice(6), String(value)])),
        },
      },
    ]
  })
}

/** @throws Error when two witnesses contradict each other */
function describeSignIn(facts: Facts, fixture: Fixture): ProviderSignIn {
  const { signIn = {} } = fixture
  const par = facts.text('par')
  const issuer = facts.text('issuer')
  const exchanges = describeExchanges(facts, signIn)
  return {
    ...describeEndpointUrls(facts, signIn),
    revocations: describeRevocations(facts, signIn.revocation),
    revokesGrant: facts.get('revokes') === 'grant',
    ...(par !== undefined && { par }),
    ...(issuer !== undefined && { issuer }),
    ...(exchanges !== undefined && { exchanges }),
    paramNames: describeParamNames(facts, signIn.paramNames),
    namesRedirects: describeRedirectName(facts, signIn.redirectName),
    pkce: describePkce(facts.get('pkce'), signIn.pkce),
    ...describeParams(facts, signIn),
    ...describeClient(facts, signIn),
    ...describeTokenResponses(facts, fixture),
  }
}

type SignInExamples = NonNullable<Fixture['signIn']>

function describeEndpointUrls(facts: Facts, signIn: SignInExamples) {
  const authorize = one('authorize', facts.text('authorize'), signIn.authorize)
  const token = one('token', facts.text('token'), signIn.token)
  if (authorize === undefined || token === undefined)
    throw new Error('neither the evidence nor the fixtures have the URLs of the sign-in')
  const refresh = one('refreshUrl', facts.text('refreshUrl'), signIn.refresh) ?? token
  return { authorize, token, refresh }
}

/** What is sent: the scopes, and parameters with fixed values. */
function describeParams(facts: Facts, signIn: SignInExamples) {
  const { scope = '', ...params } = readQuery(String(signIn.authorize ?? ''))
  const scopes = facts
    .below('scopes')
    .flatMap(([name, value]) => (name.startsWith('default') ? [String(value)] : []))
  return {
    scopes: facts.isEmpty ? scope.split(/[\s,]+/).filter((each) => each !== '') : scopes,
    separator: facts.text('scopes.separator') ?? ' ',
    authorizeParams: { ...params, ...facts.record('authorizeParams') },
    tokenParams: { ...(signIn.tokenParams as object), ...facts.record('tokenParams') },
    refreshParams: { ...(signIn.refreshParams as object), ...facts.record('refreshParams') },
    offline: (signIn.offline ?? {}) as Record<string, string>,
  }
}

function describeClient(facts: Facts, signIn: SignInExamples) {
  const client = choose<ClientPlace>('client', facts.text('client'), signIn.clientAuthentication)
  const body = choose<BodyFormat>('body', facts.text('body'), signIn.bodyFormat)
  return { ...(client !== undefined && { client }), ...(body !== undefined && { body }) }
}

/** What is sent back: by the redirect, and with tokens. */
function describeTokenResponses(facts: Facts, { signIn = {}, config = {} }: Fixture) {
  const { good = TOKEN_RESPONSE, refreshed = good } = signIn
  const listNames = (path: string) => facts.below(path).map(([, name]) => String(name))
  const callback = (signIn.callback ?? pick(config, listNames('callbackParams'))) as Record<
    string,
    string
  >
  const extra = facts.isEmpty
    ? omit(config, Object.keys(callback))
    : pick(config, listNames('tokenResponse'))
  return {
    callback,
    good: { ...extra, ...(good as object) },
    refreshed: { ...extra, ...(refreshed as object) },
  }
}

/** Exchanges of access tokens: one request, or another one for the first. */
function describeExchanges(
  facts: Facts,
  { exchange, firstExchange = exchange }: SignInExamples,
): ProviderSignIn['exchanges'] {
  const next = describeExchange(facts, 'renew', exchange)
  if (next === undefined) return undefined
  const hasFirst = facts.text('renew.first.url') !== undefined
  return {
    next,
    first: describeExchange(facts, hasFirst ? 'renew.first' : 'renew', firstExchange) ?? next,
  }
}

function describeExchange(facts: Facts, path: string, example: unknown): TokenExchange | undefined {
  const url = one(`${path}.url`, facts.text(`${path}.url`), example)
  if (url === undefined) return undefined
  const params = facts.record(`${path}.params`)
  if (example === undefined) return { url, params }
  const documented = readQuery(String(example))
  return { url, params: agree(`${path}.params`, facts.isEmpty ? undefined : params, documented) }
}

function describeParamNames(facts: Facts, documented: unknown): Record<string, string> {
  const names = facts.record('paramNames')
  if (documented === undefined) return names
  return agree('paramNames', facts.isEmpty ? undefined : names, documented as typeof names)
}

/** Whether the provider assigns names: the evidence has what it calls them. */
function describeRedirectName(facts: Facts, documented: unknown): boolean {
  const isNamed = facts.text('redirectName') !== undefined
  return agree('redirectName', facts.isEmpty ? undefined : isNamed, documented === true)
}

function agree<T>(name: string, fact: T | undefined, documented: T): T {
  if (fact !== undefined && !isDeepStrictEqual(fact, documented))
    throw new Error(
      `the evidence has ${JSON.stringify(fact)} as ${name}, the fixtures have ${JSON.stringify(documented)}`,
    )
  return documented
}

function readQuery(url: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? ''))
}

/** A URL stands for RFC 7009; otherwise one request, or several. */
function describeRevocations(facts: Facts, example: unknown): Revocation[] {
  const own = typeof example === 'string' ? example : undefined
  const url = one('revoke', facts.text('revoke'), own)
  const all = new Map(facts.below('revoke'))
  if (all.size === 0)
    return url === undefined ? [] : [{ method: 'POST', url, good: { status: 200, body: {} } }]
  return [...all].flatMap(([name, target]) => {
    const [, prefix = '', verb = ''] = /^(\d+\.)?(get|post|put|patch|delete)$/.exec(name) ?? []
    if (verb === '') return []
    const ok = all.get(`${prefix}ok`)
    const [status = 200] = [all.get(`${prefix}expect`) ?? []].flat().map(Number)
    const good = { status, body: toBody(ok) }
    return [{ method: verb.toUpperCase(), url: withoutQuery(`${target}`), good }]
  })
}

/** A body that a rule accepts: `{ path, equals }`, or a path alone. */
function toBody(rule: unknown): unknown {
  const { path = rule, equals = true } = Object(rule)
  if (typeof path !== 'string') return {}
  return path.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), equals)
}

/** RFC 6749, section 5.1. */
const TOKEN_RESPONSE = {
  access_token: '${access_token}',
  refresh_token: '${refresh_token}',
  token_type: 'Bearer',
  expires_in: 3_600,
  scope: '${scope}',
}

function describePkce(fact: unknown, documented: unknown): ProviderSignIn['pkce'] {
  if (fact === false && documented === 'required')
    throw new Error('the evidence has no PKCE, which the fixtures require')
  if (documented === 'required' || documented === 'refused') return documented
  return 'optional'
}

/** The template of the evidence, of which that of the fixtures is an example. */
function one(name: string, template: string | undefined, example: unknown): string | undefined {
  if (template === undefined) return example === undefined ? undefined : withoutQuery(`${example}`)
  if (example !== undefined && !toUrlPattern(template).test(withoutQuery(`${example}`)))
    throw new Error(`the evidence has ${template} as ${name}, the fixtures have ${example}`)
  return template
}

function choose<T extends string>(name: string, fact: string | undefined, documented: unknown) {
  if (fact !== undefined && documented !== undefined && fact !== documented)
    throw new Error(`the evidence has ${fact} as ${name}, the fixtures have ${documented}`)
  return (fact ?? documented) as T | undefined
}

/** Client credentials, or a login. */
function describeLogin(facts: Facts, { login }: Fixture): ProviderLogin | undefined {
  const own = facts.text('clientCredentials.token') ?? facts.text('login.post')
  if (own === undefined && !facts.isEmpty) return undefined
  if (login === undefined) {
    if (own === undefined) return undefined
    throw new Error('the fixtures have no login')
  }
  const [method = 'POST', example = ''] = login.endpoint.split(/\s+/)
  const url = one('token', own, example) ?? example
  const params = facts.record('clientCredentials.params')
  const body = facts.text('clientCredentials.body') as BodyFormat | undefined
  const client = facts.text('clientCredentials.client') as ClientPlace | undefined
  const fixed = { ...login.form, ...params }
  return {
    method,
    url,
    sends: [login.sends ?? []].flat(),
    ...(login.json !== undefined && { json: login.json }),
    ...(login.json === undefined && body !== 'json' && { form: fixed }),
    ...(login.json === undefined && body === 'json' && { json: fixed }),
    ...(client !== undefined && { client }),
    ...(body !== undefined && { body }),
    good: toSuccess(login.good ?? { access_token: '${token}' }),
    bad: toReply(login.bad, 401),
  }
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, String(values[name])]),
  )
}

function omit(values: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}
