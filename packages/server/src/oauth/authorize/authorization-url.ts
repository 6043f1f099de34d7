import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'
import { fillPlaceholders, type TemplateValues, withDefaults } from '../template/template-value.ts'
import { fillUrlTemplate } from '../template/url-template.ts'
import { requestedScopes } from './requested-scopes.ts'

/** What one authorization request is made of. */
export interface AuthorizationRequest {
  readonly type: OAuthType
  readonly clientId: string
  readonly redirectUri: string
  /** The app's scopes; the spec's default scopes come before them. */
  readonly scopes: readonly string[]
  readonly state: string
  /** S256 challenge; needed when the type uses PKCE. */
  readonly codeChallenge?: string | undefined
  /** The config that `${name}` is filled from. */
  readonly values: TemplateValues
}

/**
 * The URL that a person is sent to for consent (RFC 6749 section 4.1.1, RFC 7636 section 4.3). The spec's parameters
 * add to it and may change everything that does not protect the flow; the URL's own query stays.
 *
 * @throws TemplateError when the config cannot fill a `${name}`
 * @throws TypeError when the type uses PKCE and there is no challenge: never without
 */
export function buildAuthorizationUrl(request: AuthorizationRequest): string {
  return withQuery(resolveAuthorizationEndpoint(request), buildAuthorizationParams(request))
}

/**
 * Where a person is sent for a request that was pushed: the client and the name of the request, and nothing else of it
 * (RFC 9126 section 4). The endpoint's own query stays (RFC 6749 section 3.1).
 *
 * @throws TemplateError when the config cannot fill a `${name}`
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
 * What an authorization request says, beside the query of the URL itself.
 *
 * @throws TemplateError, TypeError as buildAuthorizationUrl does
 */
export function buildAuthorizationParams(request: AuthorizationRequest): ParamList {
  const { type, values } = request
  if (type.usesPkce && !request.codeChallenge) throw new TypeError('This type needs a challenge.')
  const specParams = type.authorizationParams.filter(
    ([name]) => !PROTECTED_PARAMS.has(name.toLowerCase()),
  )
  const overriddenNames = new Set(specParams.map(([name]) => name))
  const scope = requestedScopes(type, request.scopes).join(type.scopeSeparator)
  const baseParams: ParamList = [
    ['response_type', 'code'],
    ['client_id', request.clientId],
    ['redirect_uri', request.redirectUri],
    ...(scope === '' ? [] : [['scope', scope] as const]),
    ['state', request.state],
    ...pkceParams(request),
  ]
  const templateValues = withDefaults(values, type.templateFields.defaults)
  const filledParams = specParams.map(
    ([name, value]) => [name, fillPlaceholders(value, templateValues)] as const,
  )
  return [...baseParams.filter(([name]) => !overriddenNames.has(name)), ...filledParams]
}

/** The URL of the spec, filled, without anything in its query that would divert the flow. */
export function resolveAuthorizationEndpoint({ type, values }: AuthorizationRequest): URL {
  const url = new URL(fillUrlTemplate(type.authorizationUrl, values, type.templateFields))
  for (const name of RESPONSE_DIVERTING_PARAMS) url.searchParams.delete(name)
  return url
}

function withQuery(url: URL, params: ParamList): string {
  const query = new URLSearchParams(url.search)
  for (const [name] of params) query.delete(name)
  for (const [name, value] of params) query.append(name, value)
  // Some servers do not read "+" as a space outside of forms.
  url.search = query.toString().replaceAll('+', '%20')
  return url.href
}

/** They would send the answer elsewhere than to the query of our callback, or hide what is asked. */
const RESPONSE_DIVERTING_PARAMS: readonly string[] = ['request', 'request_uri', 'response_mode']
/** What protects the flow. Scopes are joined, not replaced. */
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

function pkceParams({ type, codeChallenge }: AuthorizationRequest): ParamList {
  if (!type.usesPkce || !codeChallenge) return []
  return [
    ['code_challenge', codeChallenge],
    ['code_challenge_method', 'S256'],
  ]
}
