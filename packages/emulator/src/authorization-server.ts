import { createHash, randomBytes } from 'node:crypto'
import { isAccepted, readClient } from './credentials.ts'
import { type Answer, isJson, type ProviderRequest, readParams } from './exchange.ts'
import { fill, withoutMembers } from './fill.ts'
import type { Grant, Grants } from './grants.ts'
import type { Provider, ProviderSignIn, Reply } from './provider.ts'
import { toUrlPattern, withoutQuery } from './url-pattern.ts'

/** What the user of a consent page decides. `partial`: all scopes but the last. */
export type Consent = 'allow' | 'deny' | 'partial' | 'ask'

export interface AuthorizationServerDeps {
  readonly grants: Grants
  /** What happens when an authorization request says nothing itself. */
  readonly consent: () => Consent
  /** The page that asks for consent. */
  readonly consentPage: (page: ConsentPage) => Reply
}

export interface ConsentPage {
  readonly providerName: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** One authentication method with a sign-in. */
export interface SignInMethod {
  readonly provider: Provider
  readonly authType: string
  readonly signIn: ProviderSignIn
}

/** The authorization servers of the providers (RFC 6749, 7009, 7636, 9126, 9207). */
export interface AuthorizationServer {
  /** Undefined: the URL is none of its endpoints. */
  respond(request: ProviderRequest): Answer | undefined
}

interface Code {
  readonly redirectUri: string
  readonly challenge: string | undefined
}

type Context = AuthorizationServerDeps & {
  readonly codes: Map<string, Code>
  readonly pushed: Map<string, URLSearchParams>
}

/** Several providers may share one server, such as those of Google. */
export function createAuthorizationServer(
  deps: AuthorizationServerDeps,
  methods: readonly SignInMethod[],
): AuthorizationServer {
  const context: Context = { ...deps, codes: new Map(), pushed: new Map() }
  const endpoints = methods.flatMap((method) => {
    const { authorize, token, refresh, revocations, par } = method.signIn
    return [
      { kind: 'authorize' as const, url: authorize, method },
      { kind: 'token' as const, url: token, method },
      ...(refresh === token ? [] : [{ kind: 'token' as const, url: refresh, method }]),
      ...revocations.map(({ url }) => ({ kind: 'revoke' as const, url, method })),
      ...(par === undefined ? [] : [{ kind: 'par' as const, url: par, method }]),
    ].map((endpoint) => ({ ...endpoint, pattern: toUrlPattern(endpoint.url) }))
  })
  return {
    respond(request) {
      const url = withoutQuery(request.url.href)
      const found = endpoints.filter(
        ({ kind, pattern }) =>
          (kind === 'authorize' || kind === 'revoke' || request.method === 'POST') &&
          pattern.test(url),
      )
      const [first] = found
      if (first === undefined) return undefined
      const candidates = found.filter(({ kind }) => kind === first.kind).map((each) => each.method)
      return RESPONDERS[first.kind](context, request, candidates)
    },
  }
}

type Responder = (
  context: Context,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
) => Answer

const RESPONDERS: Readonly<Record<'authorize' | 'token' | 'revoke' | 'par', Responder>> = {
  authorize,
  token: exchangeToken,
  revoke,
  par: push,
}

function answer(
  kind: Answer['kind'],
  { provider, authType }: SignInMethod,
  reply: Reply,
  deviations: readonly string[] = [],
): Answer {
  return { ...reply, kind, key: provider.key, authType, deviations }
}

/** An error of RFC 6749, section 5.2. */
function fail(error: string, error_description: string): Reply {
  const status = error === 'invalid_client' ? 401 : 400
  return { status, body: { error, error_description } }
}

/** RFC 6749, sections 4.1.1 and 4.1.2. */
function authorize(
  context: Context,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const query = request.url.searchParams
  const params = context.pushed.get(query.get('request_uri') ?? '') ?? query
  const method = chooseMethod(methods, params)
  const problem = findProblem(method, params, query)
  if (problem !== undefined)
    return answer('authorize', method, { status: 400, body: `<h1>${problem}</h1>` }, [problem])
  const form = request.method === 'POST' ? new URLSearchParams(request.body) : undefined
  const consent = form?.get('decision') ?? query.get('emulator_consent') ?? context.consent()
  const requested = readScopes(method, params)
  const redirectUri = params.get('redirect_uri') ?? ''
  if (consent === 'ask')
    return answer(
      'authorize',
      method,
      context.consentPage({
        providerName: method.provider.name,
        clientId: params.get('client_id') ?? '',
        redirectUri,
        scopes: requested,
      }),
    )
  const chosen = form === undefined ? undefined : form.getAll('scope')
  const scopes =
    chosen === undefined
      ? requested.slice(0, consent === 'partial' ? -1 : undefined)
      : requested.filter((scope) => chosen.includes(scope))
  const outcome: Record<string, string> =
    consent === 'deny'
      ? { error: 'access_denied' }
      : { code: issueCode(context, method, params, scopes), ...method.signIn.callback }
  const deviations = findParamDeviations(method, params)
  return answer('authorize', method, redirect(method, params, redirectUri, outcome), deviations)
}

/** The redirect URI is repeated as it was sent: with other characters it would not be the registered one. */
function redirect(
  { signIn }: SignInMethod,
  params: URLSearchParams,
  redirectUri: string,
  outcome: Readonly<Record<string, string>>,
): Reply {
  const state = params.get('state')
  const query = new URLSearchParams({
    ...outcome,
    ...(state !== null && { state }),
    ...(signIn.issuer !== undefined && { iss: signIn.issuer }),
  })
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
  return { status: 302, body: '', headers: { location, 'referrer-policy': 'no-referrer' } }
}

/** Of the providers that share a server, the one whose key is in the client ID, or whose scopes are requested. */
function chooseMethod(methods: readonly SignInMethod[], params: URLSearchParams): SignInMethod {
  const count = (method: SignInMethod) => {
    const requested = readScopes(method, params)
    const { scopes } = method.signIn
    const known = scopes.filter((scope) => requested.includes(scope)).length
    const isNamed = params.get('client_id')?.includes(method.provider.key) === true
    return (isNamed ? 1_000_000 : 0) + known * 1_000 - Math.abs(requested.length - scopes.length)
  }
  return methods.toSorted((one, other) => count(other) - count(one))[0] as SignInMethod
}

function readScopes({ signIn }: SignInMethod, params: URLSearchParams): string[] {
  const scope = params.get('scope') ?? ''
  return scope === '' ? [] : scope.split(signIn.separator).filter((each) => each !== '')
}

/** What is wrong with an authorization request that must not be answered with a redirect. */
function findProblem(
  { signIn }: SignInMethod,
  params: URLSearchParams,
  query: URLSearchParams,
): string | undefined {
  const redirectUri = URL.parse(params.get('redirect_uri') ?? '')
  const challenge = params.get('code_challenge')
  if (query.has('request_uri') && params === query) return 'The request_uri is unknown.'
  if (!params.get('client_id')) return 'The client_id is missing.'
  if (!/^https?:$/.test(redirectUri?.protocol ?? '')) return 'The redirect_uri is not a URL.'
  if ((params.get('response_type') ?? 'code') !== 'code') return 'The response_type must be code.'
  if (challenge !== null && params.get('code_challenge_method') !== 'S256')
    return 'The code_challenge_method must be S256.'
  if (signIn.pkce === 'required' && challenge === null) return 'The code_challenge is missing.'
  if (signIn.pkce === 'refused' && challenge !== null) return 'This provider has no PKCE.'
  return undefined
}

function findParamDeviations({ signIn }: SignInMethod, params: URLSearchParams): string[] {
  const unknown = signIn.scopes.filter(
    (scope) => !readScopes({ signIn } as SignInMethod, params).includes(scope),
  )
  return [
    ...Object.entries(signIn.authorizeParams)
      .filter(([name, value]) => !value.includes('${') && params.get(name) !== value)
      .map(([name, value]) => `the authorization request has no ${name}=${value}`),
    ...unknown.map((scope) => `the scope ${scope} is not requested`),
  ]
}

function issueCode(
  { grants, codes }: Context,
  { provider, authType, signIn }: SignInMethod,
  params: URLSearchParams,
  scopes: readonly string[],
): string {
  const isOffline = Object.entries(signIn.offline).every(([name, value]) =>
    (params.get(name) ?? '').split(/[\s,+]+/).includes(value),
  )
  const clientId = params.get('client_id') ?? ''
  const grant: Grant = {
    key: provider.key,
    authType,
    clientId,
    server: signIn.token,
    scopes,
    isOffline,
    isEnded: false,
  }
  const code = grants.issue('code', grant, CODE_SECONDS)
  codes.set(code, {
    redirectUri: params.get('redirect_uri') ?? '',
    challenge: params.get('code_challenge') ?? undefined,
  })
  return code
}

const CODE_SECONDS = 600

/** RFC 9126. */
function push(
  { pushed }: Context,
  request: ProviderRequest,
  [method]: readonly SignInMethod[],
): Answer {
  const known = method as SignInMethod
  const params = readParams(request)
  const problem = findClientProblem(known, request, params)
  if (problem !== undefined) return answer('par', known, problem)
  const uri = `urn:ietf:params:oauth:request_uri:${randomBytes(12).toString('base64url')}`
  pushed.set(uri, new URLSearchParams(params as Record<string, string>))
  return answer('par', known, { status: 201, body: { request_uri: uri, expires_in: 60 } })
}

/** Client id and secret must be where the documents have them. */
function findClientProblem(
  { signIn }: SignInMethod,
  request: ProviderRequest,
  params: Readonly<Record<string, unknown>>,
): Reply | undefined {
  const sent = readClient(request, params)
  const client = signIn.client === undefined ? (sent.header ?? sent.body) : sent[signIn.client]
  if (client === undefined)
    return fail('invalid_client', `Client id and secret are not in the ${signIn.client}.`)
  if (client.id === '' || client.secret === '' || !isAccepted(client.secret))
    return fail('invalid_client', 'The client secret is wrong.')
  return undefined
}

/** RFC 6749, sections 4.1.3 and 6. */
function exchangeToken(
  context: Context,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const params = readParams(request)
  const { code, refresh_token, grant_type } = params
  const isRefresh = grant_type === 'refresh_token'
  const token = String(isRefresh ? refresh_token : code)
  const kind = isRefresh ? 'refresh' : 'code'
  const owner = context.grants.find(kind, token)
  const method =
    methods.find(
      ({ provider, authType }) => provider.key === owner?.key && authType === owner.authType,
    ) ?? (methods[0] as SignInMethod)
  const problem =
    findRequestProblem(method, request, params, isRefresh) ??
    findClientProblem(method, request, params)
  if (problem !== undefined) return answer('token', method, problem)
  const grant = context.grants.use(kind, token)
  const error =
    grant === undefined
      ? `The ${isRefresh ? 'refresh token' : 'code'} is unknown, used or expired.`
      : findGrantProblem(context, request, params, grant)
  if (grant === undefined || error !== undefined)
    return answer('token', method, fail('invalid_grant', error ?? ''))
  return answer('token', method, issueTokens(context, method, grant, isRefresh ? token : undefined))
}

function findRequestProblem(
  { signIn }: SignInMethod,
  request: ProviderRequest,
  params: Readonly<Record<string, unknown>>,
  isRefresh: boolean,
): Reply | undefined {
  const expected = isRefresh ? signIn.refreshParams : signIn.tokenParams
  const missing = Object.entries(expected).find(
    ([name, value]) => !value.includes('${') && String(params[name]) !== value,
  )
  const endpoint = isRefresh ? signIn.refresh : signIn.token
  if (!toUrlPattern(endpoint).test(withoutQuery(request.url.href)))
    return fail('unsupported_grant_type', `This is not the endpoint for ${params.grant_type}.`)
  if (!isRefresh && params.grant_type !== 'authorization_code')
    return fail('unsupported_grant_type', 'The grant_type is not one of this provider.')
  if (signIn.body !== undefined && signIn.body !== (isJson(request.headers) ? 'json' : 'form'))
    return fail('invalid_request', `The body must be ${signIn.body}.`)
  if (missing !== undefined)
    return fail('invalid_request', `The parameter ${missing[0]} must be ${missing[1]}.`)
  return undefined
}

function findGrantProblem(
  { codes }: Context,
  request: ProviderRequest,
  params: Readonly<Record<string, unknown>>,
  { clientId }: Grant,
): string | undefined {
  const { header, body } = readClient(request, params)
  if ((header ?? body)?.id !== clientId) return 'It was issued to another client.'
  if (params.code === undefined) return undefined
  const { redirectUri, challenge } = codes.get(String(params.code)) ?? {}
  codes.delete(String(params.code))
  if (params.redirect_uri !== redirectUri) return 'The redirect_uri is another one.'
  const verifier = typeof params.code_verifier === 'string' ? params.code_verifier : ''
  if (challenge !== undefined && challenge !== hashVerifier(verifier))
    return 'The code_verifier does not match.'
  return undefined
}

/** RFC 7636, section 4.6. */
function hashVerifier(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** The documented token response. A response with a refresh token replaces the one that was used. */
function issueTokens(
  { grants }: Context,
  { signIn }: SignInMethod,
  grant: Grant,
  usedRefreshToken: string | undefined,
): Reply {
  const documented = usedRefreshToken === undefined ? signIn.good : signIn.refreshed
  const template = grant.isOffline ? documented : withoutMembers(documented, '${refresh_token}')
  const rotates = JSON.stringify(template).includes('${refresh_token}')
  const lifetime = findLifetime(template)
  const values = {
    access_token: grants.issue('access', grant, lifetime),
    ...(rotates && { refresh_token: grants.issue('refresh', grant, REFRESH_SECONDS) }),
    scope: grant.scopes.join(signIn.separator),
  }
  const body = fill(values.scope === '' ? withoutMembers(template, '${scope}') : template, values)
  if (usedRefreshToken !== undefined && !rotates) grants.restore(usedRefreshToken)
  return { status: 200, body, headers: { 'cache-control': 'no-store' } }
}

/** A year: the documents say when refresh tokens expire in sentences. */
const REFRESH_SECONDS = 365 * 24 * 3_600

/** `expires_in`, wherever the response has it. Without it, or with 0, a token does not expire. */
function findLifetime(body: unknown): number {
  const [, seconds] = /"expires_in":"?(\d+)/.exec(JSON.stringify(body)) ?? []
  return Number(seconds) || Number.POSITIVE_INFINITY
}

/** RFC 7009: the response is the same whether the token was known. Other providers have the token elsewhere in the request. */
function revoke(
  { grants }: Context,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const sent = `${request.url.href} ${request.headers.authorization ?? ''} ${request.body}`
  const [token = ''] = /emulated-(?:access|refresh)-[\w-]+/.exec(sent) ?? []
  const grant = grants.revoke(token)
  const method =
    methods.find(({ provider }) => provider.key === grant?.key) ?? (methods[0] as SignInMethod)
  const { revocations, revokesGrant } = method.signIn
  if (grant !== undefined && revokesGrant) grant.isEnded = true
  const url = withoutQuery(request.url.href)
  const found = revocations.find(
    (each) => each.method === request.method && toUrlPattern(each.url).test(url),
  )
  if (found === undefined) return answer('revoke', method, { status: 405, body: {} })
  return answer('revoke', method, found.good, token === '' ? ['the revocation has no token'] : [])
}
