import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'
import { fillPlaceholders, type TemplateValues, withDefaults } from '../template/template-value.ts'
import { fillUrlTemplate } from '../template/url-template.ts'
import { getRequestedScopes } from './get-requested-scopes.ts'

/** The parts of one authorization request. */
export interface AuthorizationRequest {
  readonly type: OAuthType
  readonly clientId: string
  readonly redirectUri: string
  /** The app's scopes, appended to the spec's default scopes. */
  readonly scopes: readonly string[]
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
  return withQuery(resolveAuthorizationEndpoint(request), buildAuthorizationParams(request))
}

/**
 * Builds the authorization URL for a pushed request: only `client_id` and `request_uri` (RFC 9126 section 4). The query
 * of the endpoint is preserved (RFC 6749 section 3.1).
 *
 * @throws TemplateError if the config cannot fill a `${name}`
 */
export function buildPushedAuthorizationUrl(
  request: AuthorizationRequest,
  requestUri: string,
): string {
  const url = resolveAuthorizationEndpoint(request)
  for (const [name] of buildAuthorizationParams(request)) url.searchParams.delete(name)
  return withQuery(url, [
    ['client_id', request.clientId],
    ['request_uri', requestUri],
  ])
}

/**
 * The parameters of an authorization request, without those in the query of the endpoint itself.
 *
 * @throws TemplateError, TypeError under the same conditions as {@link buildAuthorizationUrl}
 */
export function buildAuthorizationParams(request: AuthorizationRequest): ParamList {
  const { type, values } = request
  if (type.usesPkce && !request.codeChallenge) throw new TypeError('codeChallenge is required.')
  const specParams = type.authorizationParams.filter(
    ([name]) => !PROTECTED_PARAMS.has(name.toLowerCase()),
  )
  const overriddenNames = new Set(specParams.map(([name]) => name))
  const scope = getRequestedScopes(type, request.scopes).join(type.scopeSeparator)
  const baseParams: ParamList = [
    ['response_type', 'code'],
    ['client_id', request.clientId],
    ['redirect_uri', request.redirectUri],
    ...(scope === '' ? [] : [['scope', scope] as const]),
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
export function resolveAuthorizationEndpoint({ type, values }: AuthorizationRequest): URL {
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
