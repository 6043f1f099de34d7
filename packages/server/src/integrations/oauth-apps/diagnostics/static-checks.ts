import { getRequestedScopes, getSpecScopes } from '../../oauth/authorize/get-requested-scopes.ts'
import type { OAuthType } from '../../oauth/spec/parse-oauth-type.ts'
import type { OAuthAppCheck, OAuthAppReport } from './oauth-app-report.ts'

/**
 * Compares the scopes of the app with those of the spec. Authorization requests contain both, so a difference is only a
 * warning. An app without scopes is missing none.
 */
export function compareScopes(
  type: OAuthType,
  appScopes: readonly string[],
): { readonly scopes: OAuthAppReport['scopes']; readonly check: OAuthAppCheck } {
  const spec = getSpecScopes(type)
  const missing = appScopes.length === 0 ? [] : spec.filter((scope) => !appScopes.includes(scope))
  const extra = appScopes.filter((scope) => !spec.includes(scope))
  const isEqual = missing.length === 0 && extra.length === 0
  return {
    scopes: { spec, app: [...appScopes], missing, extra },
    check: {
      name: 'scopes',
      status: isEqual ? 'ok' : 'warning',
      message: isEqual
        ? 'Authorization requests contain exactly the scopes that the integration needs.'
        : `Authorization requests contain the scopes of the integration and of the app: ${getRequestedScopes(type, appScopes).join(', ')}. Allow all of them at the provider, otherwise it refuses every authorization request.`,
    },
  }
}

/**
 * Predicts whether the provider issues refresh tokens, from the scopes (OpenID Connect Core, section 11) and parameters
 * of the authorization request, or from the spec (`x-refresh: "always"`). No provider is special-cased.
 */
export function predictRefresh(type: OAuthType, appScopes: readonly string[]): OAuthAppCheck {
  const name = 'refresh_tokens'
  if (type.alwaysIssuesRefreshTokens)
    return { name, status: 'ok', message: 'The provider always issues refresh tokens.' }
  const params = listRequestedParams(type)
  const isOffline = params.some(([param, value]) => OFFLINE_PARAMS.get(param) === value)
  if (hasParam(params, 'access_type', 'offline') && !requestsConsent(params))
    return {
      name,
      status: 'warning',
      message:
        'Authorization requests ask for offline access without prompt=consent. A provider that issues a refresh token only at the first consent issues none when a user connects again.',
    }
  const scopes = getRequestedScopes(type, appScopes).map((scope) => scope.toLowerCase())
  if (isOffline || scopes.some((scope) => OFFLINE_SCOPES.has(scope)))
    return { name, status: 'ok', message: 'Authorization requests ask for offline access.' }
  return {
    name,
    status: 'warning',
    message:
      'Authorization requests do not ask for offline access, so the provider may issue no refresh tokens, and connections would expire with their access token. If the provider has a scope such as offline_access, add it to the app. Ignore this warning if its access tokens do not expire or it always issues refresh tokens.',
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

/** The spec's parameters and those in the query of its authorization URL. */
function listRequestedParams({ authorizationUrl, authorizationParams }: OAuthType): RequestParams {
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

/**
 * Predicts how the authorization request is sent and which callback parameters are stored. Sends nothing: pushing a
 * request (RFC 9126) that no user completes could trigger the provider's rate limits.
 */
export function describeAuthorizationRequest({
  pushedRequestUrl,
  callbackParams,
}: OAuthType): OAuthAppCheck {
  const name = 'authorization_request'
  const storedParams =
    callbackParams.length === 0 ? '' : ` Stored callback parameters: ${callbackParams.join(', ')}.`
  if (pushedRequestUrl === undefined)
    return {
      name,
      status: 'ok',
      message: `The browser sends the authorization request.${storedParams}`,
    }
  return {
    name,
    status: 'unknown',
    message: `The authorization request is pushed to the provider. Only a connection attempt shows whether the provider accepts pushed requests from this client.${storedParams}`,
  }
}
