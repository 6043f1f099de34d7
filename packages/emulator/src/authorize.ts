import { randomBytes } from 'node:crypto'
import { type Answer, type ProviderRequest, readParams } from './exchange.ts'
import type { Grant } from './grants.ts'
import type { Reply } from './provider.ts'
import {
  answer,
  fail,
  findClientProblem,
  type Params,
  type SignInContext,
  type SignInMethod,
  toStandardNames,
} from './sign-in.ts'

/** An authorization request, read with the names of the provider that it is for. */
interface AuthorizationRequest {
  readonly method: SignInMethod
  readonly params: Params
  readonly scopes: readonly string[]
}

/** RFC 6749, sections 4.1.1 and 4.1.2. */
export function authorize(
  context: SignInContext,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const query = request.url.searchParams
  const pushedAs = query.get('request_uri')
  const sent = pushedAs === null ? Object.fromEntries(query) : context.pushed.get(pushedAs)
  const asked = chooseMethod(methods, sent ?? {})
  const { method } = asked
  const problem = findPushedProblem(asked, query, sent) ?? findProblem(asked)
  if (problem !== undefined)
    return answer('authorize', method, { status: 400, body: `<h1>${problem}</h1>` }, [problem])
  const form = request.method === 'POST' ? new URLSearchParams(request.body) : undefined
  const consent = form?.get('decision') ?? query.get('emulator_consent') ?? context.consent()
  if (consent === 'ask') return answer('authorize', method, showConsent(context, asked))
  const allowed =
    form === undefined
      ? asked.scopes.slice(0, consent === 'partial' ? -1 : undefined)
      : asked.scopes.filter((scope) => form.getAll('scope').includes(scope))
  // RFC 9126, section 4: once.
  if (pushedAs !== null) context.pushed.delete(pushedAs)
  const reply = redirect(context, asked, consent === 'deny' ? undefined : allowed)
  return answer('authorize', method, reply, findParamDeviations(asked))
}

/** RFC 9126, section 4: the client ID is sent again. */
function findPushedProblem(
  { method, params }: AuthorizationRequest,
  query: URLSearchParams,
  sent: Params | undefined,
): string | undefined {
  if (sent === undefined) return 'The request_uri is unknown or used.'
  const { client_id } = toStandardNames(method, Object.fromEntries(query))
  return client_id === params.client_id ? undefined : 'The request was pushed by another client.'
}

function showConsent(
  { consentPage }: SignInContext,
  { method, params, scopes }: AuthorizationRequest,
): Reply {
  return consentPage({
    providerName: method.provider.name,
    clientId: textOf(params.client_id),
    redirectUri: textOf(params.redirect_uri),
    scopes,
  })
}

/**
 * The redirect URI is repeated as it was sent: with other characters it would not be the registered one.
 *
 * @param allowed the scopes; undefined when access is denied
 */
function redirect(
  context: SignInContext,
  asked: AuthorizationRequest,
  allowed: readonly string[] | undefined,
): Reply {
  const { method, params } = asked
  const { callback, issuer, paramNames, namesRedirects } = method.signIn
  const query = new URLSearchParams({
    ...(allowed === undefined
      ? { error: 'access_denied' }
      : { [paramNames.code ?? 'code']: issueCode(context, asked, allowed), ...callback }),
    ...(params.state !== undefined && { state: textOf(params.state) }),
    ...(issuer !== undefined && { iss: issuer }),
  })
  const target = namesRedirects ? context.callbackUrl() : textOf(params.redirect_uri)
  const location = `${target}${target.includes('?') ? '&' : '?'}${query}`
  return { status: 302, body: '', headers: { location, 'referrer-policy': 'no-referrer' } }
}

/** Of the providers that share a server, the one whose key is in the client ID, or whose scopes are requested. */
function chooseMethod(methods: readonly SignInMethod[], sent: Params): AuthorizationRequest {
  const [best] = methods
    .map((method) => {
      const params = toStandardNames(method, sent)
      return { method, params, scopes: readScopes(method, params) }
    })
    .toSorted((one, other) => rate(other) - rate(one))
  return best as AuthorizationRequest
}

function rate({ method, params, scopes }: AuthorizationRequest): number {
  const { provider, signIn } = method
  const known = signIn.scopes.filter((scope) => scopes.includes(scope)).length
  const isNamed = textOf(params.client_id).includes(provider.key)
  return (isNamed ? 1_000_000 : 0) + known * 1_000 - Math.abs(scopes.length - signIn.scopes.length)
}

function readScopes({ signIn }: SignInMethod, { scope }: Params): string[] {
  return textOf(scope)
    .split(signIn.separator)
    .filter((each) => each !== '')
}

/** What is wrong with an authorization request that must not be answered with a redirect. */
function findProblem({ method, params }: AuthorizationRequest): string | undefined {
  const { paramNames, pkce, namesRedirects } = method.signIn
  const { response_type = 'code', code_challenge, code_challenge_method } = params
  const isUrl = /^https?:$/.test(URL.parse(textOf(params.redirect_uri))?.protocol ?? '')
  const redirectName = paramNames.redirect_uri ?? 'redirect_uri'
  if (!params.client_id) return `The ${paramNames.client_id ?? 'client_id'} is missing.`
  if (namesRedirects && (isUrl || !params.redirect_uri))
    return `The ${redirectName} must be the name that the provider has assigned.`
  if (!namesRedirects && !isUrl) return `The ${redirectName} is not a URL.`
  if (response_type !== 'code') return 'The response_type must be code.'
  if (code_challenge !== undefined && code_challenge_method !== 'S256')
    return 'The code_challenge_method must be S256.'
  if (pkce === 'required' && code_challenge === undefined) return 'The code_challenge is missing.'
  if (pkce === 'refused' && code_challenge !== undefined) return 'This provider has no PKCE.'
  return undefined
}

function findParamDeviations({ method, params, scopes }: AuthorizationRequest): string[] {
  const { authorizeParams, scopes: needed } = method.signIn
  return [
    ...Object.entries(authorizeParams)
      .filter(([name, value]) => !value.includes('${') && params[name] !== value)
      .map(([name, value]) => `the authorization request has no ${name}=${value}`),
    ...needed
      .filter((scope) => !scopes.includes(scope))
      .map((scope) => `the scope ${scope} is not requested`),
  ]
}

function issueCode(
  { grants, codes }: SignInContext,
  { method, params }: AuthorizationRequest,
  scopes: readonly string[],
): string {
  const { provider, authType, signIn } = method
  const isOffline = Object.entries(signIn.offline).every(([name, value]) =>
    textOf(params[name])
      .split(/[\s,+]+/)
      .includes(value),
  )
  const grant: Grant = {
    key: provider.key,
    authType,
    clientId: textOf(params.client_id),
    server: signIn.token,
    scopes,
    isOffline,
    isExchanged: false,
    isEnded: false,
  }
  const code = grants.issue('code', grant, CODE_SECONDS)
  codes.set(code, { redirectUri: params.redirect_uri, challenge: params.code_challenge })
  return code
}

const CODE_SECONDS = 600

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** RFC 9126. */
export function pushRequest(
  { pushed }: SignInContext,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const sent = readParams(request)
  const asked = chooseMethod(methods, sent)
  const { method, params } = asked
  const problem = findProblem(asked)
  const failure =
    findClientProblem(method, request, params) ??
    (problem === undefined ? undefined : fail('invalid_request', problem))
  if (failure !== undefined) return answer('par', method, failure)
  const uri = `urn:ietf:params:oauth:request_uri:${randomBytes(12).toString('base64url')}`
  pushed.set(uri, sent)
  return answer('par', method, { status: 201, body: { request_uri: uri, expires_in: 60 } })
}
