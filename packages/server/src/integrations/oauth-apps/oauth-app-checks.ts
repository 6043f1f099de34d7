import Type, { type Static } from 'typebox'
import { StrictObject } from '../../platform/http/schema.ts'
import { generateCodeVerifier, generateState } from '../oauth/authorize/authorization-request.ts'
import type { OAuthType } from '../oauth/spec/parse-oauth-type.ts'
import { type AppScopes, getRequestedScopes, getSpecScopes } from '../oauth/spec/scopes.ts'
import { TemplateError } from '../oauth/template.ts'
import {
  type CodeExchange,
  exchangeCode,
  type OAuthRequestDeps,
} from '../oauth/token/token-endpoint.ts'
import type {
  TokenErrorResult,
  TokenResult,
  TokenUnavailableResult,
} from '../oauth/token-response/token-result.ts'

/** The status of one check. */
const CHECK_STATUSES = ['ok', 'warning', 'failed', 'unknown'] as const
export type CheckStatus = (typeof CHECK_STATUSES)[number]

const CHECK_NAMES = [
  'redirect_uri',
  'token_endpoint',
  'client_credentials',
  'scopes',
  'refresh_tokens',
  'authorization_request',
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

const scopeList = (description: string) => Type.Array(Type.String(), { description })

/** The diagnosis of an OAuth app. */
export const OAuthAppReport = StrictObject(
  {
    redirectUri: Type.String({ description: 'The redirect URI to register at the provider.' }),
    checks: Type.Array(
      StrictObject({
        name: Type.Unsafe<CheckName>({
          type: 'string',
          enum: [...CHECK_NAMES],
          description: 'The check.',
        }),
        status: Type.Unsafe<CheckStatus>({
          type: 'string',
          enum: [...CHECK_STATUSES],
          description: 'The result of the check.',
        }),
        message: Type.String({ description: 'What was found and what to do, in English.' }),
      }),
      { description: 'One entry per check, always in the same order.' },
    ),
    scopes: StrictObject(
      {
        spec: scopeList('Scopes that the integration requires.'),
        app: scopeList('Scopes of the app.'),
        missing: scopeList(
          'Scopes of the spec that the app lacks. Empty if the app has no scopes.',
        ),
        extra: scopeList('Scopes of the app that the spec does not list.'),
      },
      { description: 'The scopes of the spec and of the app, compared.' },
    ),
  },
  {
    $id: 'OAuthAppReport',
    description: 'The diagnosis of an OAuth app. It is not stored.',
    examples: [
      {
        redirectUri: 'https://connect.example.com/api/v1/oauth/callback',
        checks: [
          {
            name: 'client_credentials',
            status: 'failed',
            message: 'The provider does not know this client, or the client secret is wrong.',
          },
        ],
        scopes: { spec: ['read'], app: [], missing: [], extra: [] },
      },
    ],
  },
)
export type OAuthAppReport = Static<typeof OAuthAppReport>
export type OAuthAppCheck = OAuthAppReport['checks'][number]

/**
 * Compares the scopes of the app with those of the spec. Authorization requests contain both, so a difference is only a
 * warning; unless those of the app replace the others. An app without scopes is missing none.
 */
export function compareScopes(
  type: OAuthType,
  app: Pick<AppScopes, 'scopes' | 'scopesMode'>,
): { readonly scopes: OAuthAppReport['scopes']; readonly check: OAuthAppCheck } {
  const { scopes: appScopes, scopesMode } = app
  const spec = getSpecScopes(type)
  const missing = appScopes.length === 0 ? [] : spec.filter((scope) => !appScopes.includes(scope))
  const extra = appScopes.filter((scope) => !spec.includes(scope))
  const isEqual = missing.length === 0 && extra.length === 0
  return {
    scopes: { spec, app: [...appScopes], missing, extra },
    check: {
      name: 'scopes',
      status: isEqual || scopesMode === 'replace' ? 'ok' : 'warning',
      message: isEqual
        ? 'Authorization requests contain exactly the scopes that the integration needs.'
        : `Authorization requests contain ${scopesMode === 'replace' ? 'the scopes of the app, and what the integration requires' : 'the scopes of the integration and of the app'}: ${getRequestedScopes(type, app).join(', ')}. Allow all of them at the provider, otherwise it refuses every authorization request.`,
    },
  }
}

/**
 * Predicts whether the provider issues refresh tokens, from the scopes (OpenID Connect Core, section 11) and parameters
 * of the authorization request, or from the spec (`x-refresh: "always"`). No provider is special-cased.
 */
export function predictRefresh(
  type: OAuthType,
  app: Pick<AppScopes, 'scopes' | 'scopesMode'>,
): OAuthAppCheck {
  const name = 'refresh_tokens'
  if (type.alwaysIssuesRefreshTokens)
    return { name, status: 'ok', message: 'The provider always issues refresh tokens.' }
  if (type.exchanges !== undefined)
    return {
      name,
      status: 'ok',
      message: 'The provider issues no refresh tokens: access tokens are exchanged for newer ones.',
    }
  const params = listRequestedParams(type)
  const isOffline = params.some(([param, value]) => OFFLINE_PARAMS.get(param) === value)
  if (hasParam(params, 'access_type', 'offline') && !requestsConsent(params))
    return {
      name,
      status: 'warning',
      message:
        'Authorization requests ask for offline access without prompt=consent. A provider that issues a refresh token only at the first consent issues none when a user connects again.',
    }
  const scopes = getRequestedScopes(type, app).map((scope) => scope.toLowerCase())
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

/** The result of a token request with a made-up code. */
export interface ClientProbe {
  readonly endpoint: OAuthAppCheck
  readonly credentials: OAuthAppCheck
  /** Whether the provider rejected the redirect URI. */
  readonly rejectsRedirectUri: boolean
}

/**
 * Exchanges a code that was never issued. Providers authenticate the client first (RFC 6749 section 5.2:
 * `invalid_client`), so an error about the code means that the client is valid.
 */
export async function probeClient(
  deps: OAuthRequestDeps,
  {
    config,
    ...probe
  }: Pick<CodeExchange, 'type' | 'client' | 'redirectUri' | 'tenant'> & {
    readonly config?: Readonly<Record<string, unknown>> | undefined
  },
): Promise<ClientProbe> {
  try {
    const values = { ...config, client_id: probe.client.clientId }
    const fakeCode = { code: generateState(), codeVerifier: generateCodeVerifier() }
    return classifyResult(await exchangeCode(deps, { ...probe, ...fakeCode, values }))
  } catch (error) {
    if (error instanceof TemplateError) return createSkippedProbe()
    throw error
  }
}

function classifyResult(result: TokenResult): ClientProbe {
  if (result.kind === 'unavailable') return createUnavailableProbe(result)
  const endpoint = buildCheck('token_endpoint', 'ok', 'The token endpoint responds.')
  if (result.kind === 'tokens')
    return {
      endpoint: buildCheck(
        'token_endpoint',
        'warning',
        'The token endpoint issued tokens for a made-up code. They were discarded. A provider must not do that.',
      ),
      credentials: buildCheck(
        'client_credentials',
        'unknown',
        'The provider accepted a made-up code.',
      ),
      rejectsRedirectUri: false,
    }
  return {
    endpoint,
    credentials: checkCredentials(result),
    rejectsRedirectUri: result.error === 'redirect_uri_mismatch',
  }
}

function checkCredentials({ error, description }: TokenErrorResult): OAuthAppCheck {
  const name = 'client_credentials'
  const providerMessage = ` The provider reported: ${error}${description === '' ? '.' : `, ${description}`}`
  if (error === 'invalid_client')
    return buildCheck(
      name,
      'failed',
      `The provider does not know this client, or the client secret is wrong.${providerMessage}`,
    )
  if (error === 'unauthorized_client')
    return buildCheck(
      name,
      'failed',
      `The provider does not allow this client to exchange authorization codes.${providerMessage}`,
    )
  const isCodeRejected = /\bcode\b/i.test(description) && !/client|secret/i.test(description)
  if (error === 'invalid_grant' || (error === 'invalid_request' && isCodeRejected))
    return buildCheck(name, 'ok', 'The provider rejected only the made-up code, not the client.')
  return buildCheck(name, 'unknown', `The provider's response is inconclusive.${providerMessage}`)
}

const FAILURE_MESSAGES: Readonly<Record<TokenUnavailableResult['reason'], string>> = {
  timeout: 'The token endpoint did not respond in time.',
  egress_unavailable: 'The outgoing network of Linchpin is unavailable. The request was not sent.',
  unreachable: 'The token endpoint is unreachable.',
  rate_limited: 'The token endpoint reported too many requests. Try again later.',
  server_error: 'The token endpoint reported a server error. Try again later.',
  invalid_response: 'The token endpoint did not send a valid token response.',
  conflict: 'The token endpoint is processing another request. Try again later.',
  ambiguous_refusal: 'The token endpoint did not send a valid token response.',
}

const TEMPORARY_REASONS: ReadonlySet<string> = new Set(['rate_limited', 'server_error', 'conflict'])

function createUnavailableProbe({ reason }: TokenUnavailableResult): ClientProbe {
  const isTemporary = TEMPORARY_REASONS.has(reason)
  return {
    endpoint: buildCheck(
      'token_endpoint',
      isTemporary ? 'warning' : 'failed',
      FAILURE_MESSAGES[reason],
    ),
    credentials: buildCheck(
      'client_credentials',
      'unknown',
      'The provider did not check the client.',
    ),
    rejectsRedirectUri: false,
  }
}

function createSkippedProbe(): ClientProbe {
  const message =
    'The URL of the token endpoint depends on user input, so only a connection attempt can check it.'
  return {
    endpoint: buildCheck('token_endpoint', 'unknown', message),
    credentials: buildCheck('client_credentials', 'unknown', message),
    rejectsRedirectUri: false,
  }
}

function buildCheck(
  name: OAuthAppCheck['name'],
  status: OAuthAppCheck['status'],
  message: string,
): OAuthAppCheck {
  return { name, status, message }
}
