import { EgressError, scrub, type Tenant } from '@linchpin/runner'
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
} from 'oauth4webapi'
import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'
import { isRenamedParam, renameParams } from '../spec/parse-oauth-type.ts'
import {
  fillPlaceholders,
  fillUrlTemplate,
  type TemplateValues,
  withDefaults,
} from '../template.ts'
import { type OAuthClient, sendClientRequest } from '../token/client-request.ts'
import { type OAuthRequestDeps, toUnavailableResult } from '../token/token-endpoint.ts'
import {
  type HttpResponse,
  type ParseContext,
  parseOAuthResponse,
  toUnavailable,
} from '../token-response/parse-oauth-response.ts'
import type { TokenErrorResult, TokenUnavailableResult } from '../token-response/token-result.ts'

/** The parts of one authorization request. */
interface AuthorizationRequest {
  readonly type: OAuthType
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  /** Whether what was granted before is to be granted again. Absent: no. */
  readonly includesGranted?: boolean | undefined
  readonly state: string
  /** S256 challenge. Required when the type uses PKCE. */
  readonly codeChallenge?: string | undefined
  /** The config that fills each `${name}`. */
  readonly values: TemplateValues
}

/**
 * Builds the URL of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). The spec's parameters may
 * override everything except the parameters that protect the flow. The query of the endpoint is preserved.
 *
 * @throws TemplateError if the config cannot fill a `${name}`
 * @throws TypeError if the type uses PKCE and `codeChallenge` is missing
 */
export function buildAuthorizationUrl(request: AuthorizationRequest): string {
  const params = renameParams(buildAuthorizationParams(request), request.type)
  return withQuery(resolveAuthorizationEndpoint(request), params)
}

/**
 * Builds the authorization URL for a pushed request: only `client_id` and `request_uri` (RFC 9126 section 4). The query
 * of the endpoint is preserved (RFC 6749 section 3.1).
 *
 * @throws TemplateError if the config cannot fill a `${name}`
 */
function buildPushedAuthorizationUrl(request: AuthorizationRequest, requestUri: string): string {
  const url = resolveAuthorizationEndpoint(request)
  const { type, clientId } = request
  const pushed = renameParams(buildAuthorizationParams(request), type)
  for (const [name] of pushed) url.searchParams.delete(name)
  const params: ParamList = [
    ['client_id', clientId],
    ['request_uri', requestUri],
  ]
  return withQuery(url, renameParams(params, type))
}

/**
 * The parameters of an authorization request, without those in the query of the endpoint itself.
 *
 * @throws TemplateError, TypeError under the same conditions as {@link buildAuthorizationUrl}
 */
function buildAuthorizationParams(request: AuthorizationRequest): ParamList {
  const { type, values } = request
  if (type.usesPkce && !request.codeChallenge) throw new TypeError('codeChallenge is required.')
  const specParams = type.authorizationParams.filter(
    ([name]) => !PROTECTED_PARAMS.has(name.toLowerCase()) && !isRenamedParam(name, type),
  )
  const overriddenNames = new Set(specParams.map(([name]) => name))
  const scope = request.scopes.join(type.scopeSeparator)
  const baseParams: ParamList = [
    ['response_type', 'code'],
    ['client_id', request.clientId],
    ['redirect_uri', request.redirectUri],
    ...(scope === '' ? [] : [['scope', scope] as const]),
    ...(request.includesGranted === true ? [['include_granted_scopes', 'true'] as const] : []),
    ['state', request.state],
    ...createPkceParams(request),
  ]
  const templateValues = withDefaults(values, type.templateFields.defaults)
  const filledParams = specParams.map(
    ([name, value]) => [name, fillPlaceholders(value, templateValues)] as const,
  )
  return [...baseParams.filter(([name]) => !overriddenNames.has(name)), ...filledParams]
}

/** The authorization endpoint with its template filled, without query parameters that would divert the flow. */
function resolveAuthorizationEndpoint({ type, values }: AuthorizationRequest): URL {
  const url = new URL(fillUrlTemplate(type.authorizationUrl, values, type.templateFields))
  for (const name of RESPONSE_DIVERTING_PARAMS) url.searchParams.delete(name)
  return url
}

function withQuery(url: URL, params: ParamList): string {
  const query = new URLSearchParams(url.search)
  for (const [name] of params) query.delete(name)
  for (const [name, value] of params) query.append(name, value)
  // Some servers decode "+" as a space only in forms.
  url.search = query.toString().replaceAll('+', '%20')
  return url.href
}

/** Parameters that would redirect the response away from our callback's query, or hide the request. */
const RESPONSE_DIVERTING_PARAMS: readonly string[] = ['request', 'request_uri', 'response_mode']
/** Parameters that a spec must not override. Scopes are merged instead. */
const PROTECTED_PARAMS: ReadonlySet<string> = new Set([
  ...RESPONSE_DIVERTING_PARAMS,
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'scope',
  'state',
])

function createPkceParams({ type, codeChallenge }: AuthorizationRequest): ParamList {
  if (!type.usesPkce || !codeChallenge) return []
  return [
    ['code_challenge', codeChallenge],
    ['code_challenge_method', 'S256'],
  ]
}

/** Generates a `state`: 256 random bits in base64url. */
export function generateState(): string {
  return generateRandomState()
}

/** Generates a PKCE code verifier (RFC 7636 section 4.1): 256 random bits in base64url. */
export function generateCodeVerifier(): string {
  return generateRandomCodeVerifier()
}

/** Derives the S256 challenge of a verifier (RFC 7636 section 4.2). */
export async function deriveCodeChallenge(codeVerifier: string): Promise<string> {
  return await calculatePKCECodeChallenge(codeVerifier)
}

/** The outcome of a pushed authorization request: the URL for the browser, or the failures of a token request. */
export type PushedAuthorizationResult =
  | { readonly kind: 'pushed'; readonly url: string }
  | TokenErrorResult
  | TokenUnavailableResult

/**
 * Sends an authorization request directly to the provider with client authentication, so that no browser can read or
 * change it (RFC 9126). Sends one request. There is no fallback to an unpushed request.
 *
 * @throws TemplateError if the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError if the client secret may not be sent to the endpoint, before anything is sent
 * @throws TypeError if the type has no such endpoint, or uses PKCE and `codeChallenge` is missing
 */
export async function pushAuthorizationRequest(
  { egressGateway, now }: OAuthRequestDeps,
  request: Omit<AuthorizationRequest, 'clientId'> & {
    readonly client: OAuthClient
    readonly tenant?: Tenant | undefined
  },
): Promise<PushedAuthorizationResult> {
  const { type, client, values } = request
  if (type.pushedRequestUrl === undefined) throw new TypeError('pushedRequestUrl is required.')
  const authorizationRequest = { ...request, clientId: client.clientId }
  const params = buildAuthorizationParams(authorizationRequest)
  const names = new Set(renameParams(params, type).map(([name]) => name))
  // The query of the spec's URL is part of the request, and servers ignore it when the request is pushed.
  const urlParams = [...resolveAuthorizationEndpoint(authorizationRequest).searchParams].filter(
    ([name]) => !names.has(name),
  )
  const clientRequest = {
    url: fillUrlTemplate(type.pushedRequestUrl, values, type.templateFields),
    type,
    // RFC 9126 section 2.1: always a form, whatever format the token endpoint takes.
    bodyFormat: 'form',
    client,
    params: [...urlParams, ...params],
    tenant: request.tenant,
  } as const
  const context = { now: now(), secrets: [values, client.clientSecret] }
  try {
    const response = await sendClientRequest({ egressGateway }, clientRequest)
    const requestUri = parseRequestUri(response, context, client)
    return typeof requestUri === 'string'
      ? { kind: 'pushed', url: buildPushedAuthorizationUrl(authorizationRequest, requestUri) }
      : requestUri
  } catch (error) {
    if (error instanceof EgressError) return toUnavailableResult(error)
    throw error
  }
}

/** RFC 9126 section 2.2. `expires_in` is ignored because the browser is redirected immediately. */
function parseRequestUri(
  response: HttpResponse,
  context: ParseContext,
  { clientSecret }: OAuthClient,
): string | TokenErrorResult | TokenUnavailableResult {
  const parsed = parseOAuthResponse(response, context)
  if (parsed.kind !== 'success') return parsed
  const { request_uri: uri } = parsed.fields
  const isUsable =
    typeof uri === 'string' &&
    uri.length <= MAX_REQUEST_URI_LENGTH &&
    /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) &&
    // The URI appears in the address bar: an endpoint that echoes its input must not leak the secret there.
    scrub(uri, [clientSecret]) === uri
  return isUsable ? uri : toUnavailable('invalid_response', false, response, context)
}

const MAX_REQUEST_URI_LENGTH = 1_024
