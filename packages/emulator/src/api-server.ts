import { isDeepStrictEqual } from 'node:util'
import { type Credentials, isAccepted, readClient, readCredentials } from './credentials.ts'
import { type Answer, isJson, type ProviderRequest, readParams } from './exchange.ts'
import { fill } from './fill.ts'
import type { Grant, Grants } from './grants.ts'
import type {
  Provider,
  ProviderEndpoint,
  ProviderLogin,
  ProviderMethod,
  Reply,
} from './provider.ts'
import { toUrlPattern, withoutQuery } from './url-pattern.ts'

export interface ApiServerDeps {
  readonly grants: Grants
  readonly now: () => number
  /** Keys and passwords that have been revoked. */
  readonly revoked: ReadonlySet<string>
  /** What the next request of a provider gets instead of its response. */
  readonly takeStatus: (key: string) => number | undefined
  /** Responses that a test has added. */
  readonly findAdded: (request: ProviderRequest) => Reply | undefined
}

/** The APIs of the providers. */
export interface ApiServer {
  /** Undefined: the host belongs to none of them. */
  respond(request: ProviderRequest): Answer | undefined
}

interface Method {
  readonly provider: Provider
  readonly authType: string
  readonly method: ProviderMethod
}

interface Endpoint extends Method {
  readonly endpoint: ProviderEndpoint
  readonly pattern: RegExp
}

export function createApiServer(deps: ApiServerDeps, providers: readonly Provider[]): ApiServer {
  const methods = providers.flatMap((provider) =>
    Object.entries(provider.methods).map(([authType, method]) => ({ provider, authType, method })),
  )
  const endpoints: readonly Endpoint[] = methods
    .flatMap((each) => each.method.endpoints.map((endpoint) => ({ ...each, endpoint })))
    .map((each) => ({ ...each, pattern: toUrlPattern(each.endpoint.url) }))
  const logins = methods.flatMap(({ method: { login }, ...rest }) =>
    login === undefined ? [] : [{ ...rest, login, pattern: toUrlPattern(login.url) }],
  )
  return {
    respond(request) {
      const url = withoutQuery(request.url.href)
      const login = logins.find(
        (each) => each.login.method === request.method && each.pattern.test(url),
      )
      if (login !== undefined) return respondToLogin(deps, login, request)
      const matching = endpoints.filter(
        ({ endpoint, pattern }) => endpoint.method === request.method && pattern.test(url),
      )
      // An address that any host may have counts only where no provider has this host.
      const best = Math.max(...matching.map(({ endpoint }) => rateHost(endpoint, request.url)))
      const keys = new Set(
        matching
          .filter(({ endpoint }) => rateHost(endpoint, request.url) === best)
          .map(({ provider }) => provider.key),
      )
      const found = matching.filter(({ provider }) => keys.has(provider.key))
      if (found.length > 0) return respondToApi(deps, request, found)
      const hosts = methods.filter((each) => hasHost(each, request.url))
      return hosts.length > 0 ? respondElsewhere(deps, request, hosts) : undefined
    },
  }
}

/** How well a host fits: that of the example, or as many characters as the template has of it. */
function rateHost({ url, example }: ProviderEndpoint, { origin }: URL): number {
  if (new URL(example).origin === origin) return Number.POSITIVE_INFINITY
  const [, host = ''] = /^https:\/\/([^/?#]+)/.exec(url) ?? []
  return host.replace(/\$\{[^}]*\}/g, '').length
}

/** Whether requests of a method go to a host. */
function hasHost({ method }: Method, { origin }: URL): boolean {
  return method.endpoints.some(({ url, example }) => {
    const [start = ''] = /^(?:\$\{[^}]*\}|https:\/\/[^/]+)/.exec(url) ?? []
    return (
      new URL(example).origin === origin ||
      (start.startsWith('https') && toUrlPattern(start).test(origin))
    )
  })
}

function answer(
  { provider, authType }: Omit<Method, 'method'>,
  reply: Reply,
  more: Partial<Answer> = {},
): Answer {
  return { kind: 'api', key: provider.key, authType, deviations: [], ...reply, ...more }
}

/** A documented request. */
function respondToApi(
  deps: ApiServerDeps,
  request: ProviderRequest,
  found: readonly Endpoint[],
): Answer {
  const { chosen, access } = chooseByCredentials(deps, request, found)
  const planned = respondAsPlanned(deps, chosen)
  if (planned !== undefined) return planned
  if (access === undefined) return answer(chosen, chosen.method.bad)
  if (access.grant !== undefined && lacksScope(chosen, access.grant))
    return answer(chosen, chosen.method.insufficient)
  const added = deps.findAdded(request)
  const reply = added ?? withRetryHeaders(chosen, chosen.endpoint.good, deps.now(), 99)
  return answer(chosen, reply, { deviations: findDeviations(request, chosen) })
}

/** A request that the documents of the integration do not have: with credentials that work, the answer says how to add it. */
function respondElsewhere(
  deps: ApiServerDeps,
  request: ProviderRequest,
  methods: readonly Method[],
): Answer {
  const { chosen, access } = chooseByCredentials(deps, request, methods)
  const planned = respondAsPlanned(deps, chosen)
  if (planned !== undefined) return planned
  if (access === undefined) return answer(chosen, chosen.method.bad)
  const reply = deps.findAdded(request) ?? { status: 404, body: { error: NOT_DOCUMENTED } }
  return answer(chosen, reply)
}

const NOT_DOCUMENTED =
  'The emulator has no response for this request. Add one with POST /_emulator/responses.'

interface Access {
  /** Of a token. */
  readonly grant?: Grant | undefined
}

/** Several methods and providers share URLs: the one whose credentials the request has answers it. */
function chooseByCredentials<T extends Method>(
  deps: ApiServerDeps,
  request: ProviderRequest,
  methods: readonly T[],
): { readonly chosen: T; readonly access: Access | undefined } {
  const accepting = methods.flatMap((chosen) => {
    const access = findAccess(deps, request, chosen)
    return access === undefined ? [] : [{ chosen, access }]
  })
  const own = accepting.find(({ chosen, access }) => access.grant?.key === chosen.provider.key)
  const [first] = accepting
  if (first !== undefined) return own ?? first
  const sent = methods.find(({ method }) => readCredentials(request, method.sends) !== undefined)
  return { chosen: sent ?? (methods[0] as T), access: undefined }
}

function findAccess(
  { grants, revoked }: ApiServerDeps,
  request: ProviderRequest,
  { method }: Method,
): Access | undefined {
  const credentials = readCredentials(request, method.sends)
  if (credentials === undefined) return undefined
  if (method.signIn === undefined && method.login === undefined)
    return areAccepted(credentials, revoked) ? {} : undefined
  const token = credentials.secret ?? credentials.token ?? credentials.access_token ?? ''
  const grant = grants.find('access', token)
  return grant?.server === (method.signIn?.token ?? method.login?.url) ? { grant } : undefined
}

function areAccepted(credentials: Credentials, revoked: ReadonlySet<string>): boolean {
  return Object.values(credentials).every((value) => isAccepted(value) && !revoked.has(value))
}

/** The scopes of an integration are those that its requests need. */
function lacksScope({ method }: Method, { scopes }: Grant): boolean {
  const needed = method.signIn?.scopes ?? []
  return scopes.length > 0 && needed.some((scope) => !scopes.includes(scope))
}

/** A status that a test has asked for, in the form that the provider documents. */
function respondAsPlanned(deps: ApiServerDeps, chosen: Method): Answer | undefined {
  const status = deps.takeStatus(chosen.provider.key)
  if (status === undefined) return undefined
  const { bad, insufficient, limited } = chosen.method
  if (status === 401) return answer(chosen, bad)
  if (status === 403) return answer(chosen, insufficient)
  if (status === 429) return answer(chosen, withRetryHeaders(chosen, limited, deps.now(), 0))
  return answer(chosen, { status, body: status >= 500 ? '<h1>Service Unavailable</h1>' : {} })
}

const RETRY_SECONDS = 30

/** The declared headers; with none left also `Retry-After` (RFC 9110, section 10.2.3). */
function withRetryHeaders({ method }: Method, reply: Reply, now: number, left: number): Reply {
  const { remaining, reset, unit } = method.retry ?? {}
  const resetAt = unit === 'epoch' ? Math.ceil(now / 1_000) + RETRY_SECONDS : RETRY_SECONDS
  const headers = {
    ...(remaining !== undefined && { [remaining.toLowerCase()]: String(left) }),
    ...(reset !== undefined && { [reset.toLowerCase()]: String(resetAt) }),
    ...(left === 0 && { 'retry-after': String(RETRY_SECONDS) }),
    ...lowerCaseNames(reply.headers),
  }
  return { ...reply, headers }
}

/** What the documents have and the request does not. */
function findDeviations({ url, headers }: ProviderRequest, { method, endpoint }: Endpoint) {
  const params = Object.keys(endpoint.query).filter((name) => !url.searchParams.has(name))
  return [
    ...method.headers
      .filter((name) => headers[name.toLowerCase()] === undefined)
      .map((name) => `the request has no header ${name}`),
    ...params.map((name) => `the request has no parameter ${name}`),
  ]
}

/** RFC 6749, section 4.4, and what providers have in its place. */
function respondToLogin(
  deps: ApiServerDeps,
  { login, ...chosen }: Omit<Method, 'method'> & { readonly login: ProviderLogin },
  request: ProviderRequest,
): Answer {
  const params = readParams(request)
  const sent = readClient(request, params)
  const client = login.client === undefined ? (sent.header ?? sent.body) : sent[login.client]
  const deviations = findLoginDeviations(login, request, params)
  const fromHeader = readCredentials(request, login.sends)
  // A signed JWT differs in each request. What it is for, such as an installation, is in the path.
  const isSigned = login.sends.length === 0 && /^Bearer \S/.test(`${request.headers.authorization}`)
  const values = [
    client?.secret,
    ...Object.values(fromHeader ?? {}),
    ...(isSigned ? request.url.pathname.split('/') : []),
  ].filter((value) => value !== undefined)
  const isRight =
    deviations.length === 0 &&
    fromHeader !== undefined &&
    values.every((value) => isAccepted(value) && !deps.revoked.has(value)) &&
    (client !== undefined || login.sends.length > 0 || isSigned)
  const kind = 'login' as const
  if (!isRight) return answer(chosen, login.bad, { kind, deviations })
  const { key } = chosen.provider
  const grant: Grant = {
    key,
    authType: chosen.authType,
    clientId: client?.id ?? '',
    server: login.url,
    scopes: [],
    isOffline: false,
    isExchanged: false,
    isEnded: false,
  }
  const [, seconds] = /"expires_in":(\d+)/.exec(JSON.stringify(login.good.body)) ?? []
  const token = deps.grants.issue('access', grant, Number(seconds) || 3_600)
  return answer(chosen, fill(login.good, { token }), { kind })
}

/** The format, and the parameters whose values are fixed. */
function findLoginDeviations(
  login: ProviderLogin,
  request: ProviderRequest,
  params: Readonly<Record<string, unknown>>,
): string[] {
  const format = isJson(request.headers) ? 'json' : 'form'
  const expected = Object.entries(login.json ?? login.form ?? {})
  return [
    ...(login.body !== undefined && login.body !== format
      ? [`the body must be ${login.body}`]
      : []),
    ...expected
      .filter(([name, value]) =>
        JSON.stringify(value).includes('${')
          ? params[name] === undefined
          : !isDeepStrictEqual(params[name], value),
      )
      .map(([name]) => `the login has another ${name}`),
  ]
}

function lowerCaseNames(headers: Reply['headers'] = {}) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
