import { requestedScopes } from '../../oauth/authorize/requested-scopes.ts'
import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import type { OAuthAppCheck } from './oauth-app-report.ts'

/**
 * Tells whether refresh tokens are to be expected. No provider is known by name: what counts is what a connection will
 * ask for, in scopes (OpenID Connect Core, section 11) or in parameters, or the spec's own word (`x-refresh: "always"`).
 */
export function predictRefresh(type: OAuthType, appScopes: readonly string[]): OAuthAppCheck {
  const name = 'refresh_tokens'
  if (type.alwaysIssuesRefreshTokens)
    return { name, status: 'ok', message: 'The provider sends refresh tokens unasked.' }
  const params = requestedParams(type)
  const isOffline = params.some(([param, value]) => OFFLINE_PARAMS.get(param) === value)
  if (hasParam(params, 'access_type', 'offline') && !requestsConsent(params))
    return {
      name,
      status: 'warning',
      message:
        'Offline access is asked for, but not prompt=consent: a provider that sends a refresh token at the first consent only sends none when somebody connects again.',
    }
  const scopes = requestedScopes(type, appScopes).map((scope) => scope.toLowerCase())
  if (isOffline || scopes.some((scope) => OFFLINE_SCOPES.has(scope)))
    return { name, status: 'ok', message: 'Connections ask for offline access.' }
  return {
    name,
    status: 'warning',
    message:
      'Nothing asks for offline access, so there may be no refresh tokens: connections then end with their access token. If the provider has a scope such as offline_access, add it to the app. If its access tokens do not end, or refresh tokens come unasked, all is well.',
  }
}

type RequestParams = readonly (readonly [name: string, value: string])[]

const OFFLINE_SCOPES: ReadonlySet<string> = new Set([
  'offline',
  'offline.access',
  'offline_access',
  'refresh_token',
])
const OFFLINE_PARAMS: ReadonlyMap<string, string> = new Map([
  ['access_type', 'offline'],
  ['token_access_type', 'offline'],
  ['duration', 'permanent'],
])

/** The spec's parameters and those that stand in its authorization URL. */
function requestedParams({ authorizationUrl, authorizationParams }: OAuthType): RequestParams {
  const [, query = ''] = authorizationUrl.split('?', 2)
  return [...new URLSearchParams(query), ...authorizationParams].map(
    ([name, value]) => [name.toLowerCase(), value.toLowerCase()] as const,
  )
}

function hasParam(params: RequestParams, name: string, value: string): boolean {
  return params.some((param) => param[0] === name && param[1] === value)
}

function requestsConsent(params: RequestParams): boolean {
  return params.some(
    ([name, value]) =>
      (name === 'prompt' && value.split(' ').includes('consent')) ||
      (name === 'approval_prompt' && value === 'force'),
  )
}
