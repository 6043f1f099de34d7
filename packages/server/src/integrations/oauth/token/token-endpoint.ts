import { CircuitOpenError, EgressError, type EgressGateway, type Tenant } from '@linchpin/runner'
import type {
  OAuthType,
  ParamList,
  RefreshErrorRules,
  TokenExchange,
} from '../spec/parse-oauth-type.ts'
import { isRenamedParam } from '../spec/parse-oauth-type.ts'
import {
  fillPlaceholders,
  fillUrlTemplate,
  type TemplateValues,
  withDefaults,
} from '../template.ts'
import { parseTokenResponse } from '../token-response/parse-oauth-response.ts'
import type { TokenResult, TokenUnavailableResult } from '../token-response/token-result.ts'
import { type OAuthClient, sendClientRequest } from './client-request.ts'

/** Dependencies of requests to a provider. */
export interface OAuthRequestDeps {
  readonly egressGateway: EgressGateway
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** One authorization code to exchange (RFC 6749 section 4.1.3). */
export interface CodeExchange {
  readonly type: OAuthType
  readonly client: OAuthClient
  readonly code: string
  /** Must equal the redirect URI of the authorization request. */
  readonly redirectUri: string
  /** Required when the type uses PKCE. */
  readonly codeVerifier?: string | undefined
  readonly values: TemplateValues
  readonly tenant?: Tenant | undefined
  readonly signal?: AbortSignal | undefined
}

/** One refresh token to use (RFC 6749 section 6). */
export interface RefreshRequest {
  readonly type: OAuthType
  readonly client: OAuthClient
  readonly refreshToken: string
  readonly values: TemplateValues
  readonly tenant?: Tenant | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Exchanges an authorization code for tokens. Sends one request, because a code can be used only once.
 *
 * @throws TemplateError if the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError if the client secret may not be sent to the endpoint, before anything is sent
 * @throws TypeError if the type uses PKCE and `codeVerifier` is missing
 */
export async function exchangeCode(
  deps: OAuthRequestDeps,
  exchange: CodeExchange,
): Promise<TokenResult> {
  const { type, code, codeVerifier } = exchange
  if (type.usesPkce && !codeVerifier) throw new TypeError('codeVerifier is required.')
  return await requestTokens(deps, exchange, {
    url: type.tokenUrl,
    specParams: type.tokenParams,
    params: [
      ['grant_type', 'authorization_code'],
      ['code', code],
      ['redirect_uri', exchange.redirectUri],
      ...(type.usesPkce && codeVerifier ? [['code_verifier', codeVerifier] as const] : []),
    ],
  })
}

/**
 * Refreshes an access token. Sends one request; the caller owns leases and retries. If the result has no refresh token,
 * the old one stays valid.
 *
 * @throws TemplateError if the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError if the client secret may not be sent to the endpoint, before anything is sent
 */
export async function refreshTokens(
  deps: OAuthRequestDeps,
  refresh: RefreshRequest,
): Promise<TokenResult> {
  const { type, refreshToken } = refresh
  return await requestTokens(deps, refresh, {
    url: type.refreshUrl,
    specParams: type.refreshParams,
    params: [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
    ],
    refreshErrors: type.refreshErrors,
  })
}

/** One access token to exchange. */
export interface ExchangeParams
  extends Pick<RefreshRequest, 'type' | 'client' | 'tenant' | 'signal'> {
  readonly exchange: TokenExchange
  /** With the access token. */
  readonly values: TemplateValues
}

/**
 * Exchanges an access token for one that lives longer. Sends one request. The old token stays valid if there is no new one.
 *
 * @throws TemplateError if the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError if the client secret may not be sent to the endpoint, before anything is sent
 */
export async function exchangeToken(
  { egressGateway, now }: OAuthRequestDeps,
  { type, client, exchange, values, tenant, signal }: ExchangeParams,
): Promise<TokenResult> {
  const { clientId, clientSecret } = client
  const all = { ...values, client_id: clientId, client_secret: clientSecret }
  const filled = withDefaults(all, type.templateFields.defaults)
  const url = new URL(fillUrlTemplate(exchange.url, values, type.templateFields))
  for (const [name, value] of exchange.params)
    url.searchParams.set(name, fillPlaceholders(value, filled))
  const request = {
    method: 'GET',
    url: url.href,
    type,
    bodyFormat: 'none',
    client,
    authentication: 'none',
    params: [],
    secrets: all,
    tenant,
    signal,
  } as const
  try {
    const response = await sendClientRequest({ egressGateway }, request)
    const { refreshErrors } = type
    return parseTokenResponse(response, { now: now(), secrets: [all], refreshErrors })
  } catch (error) {
    if (error instanceof EgressError) return toUnavailableResult(error)
    throw error
  }
}

interface TokenRequest {
  readonly url: string
  readonly specParams: ParamList
  readonly params: ParamList
  readonly refreshErrors?: RefreshErrorRules
}

async function requestTokens(
  { egressGateway, now }: OAuthRequestDeps,
  { type, client, values, tenant, signal }: CodeExchange | RefreshRequest,
  { url, specParams, params, refreshErrors }: TokenRequest,
): Promise<TokenResult> {
  const { bodyFormat } = type
  const request = {
    url: fillUrlTemplate(url, values, type.templateFields),
    type,
    bodyFormat,
    client,
    params: mergeParams(
      params,
      specParams.filter(([name]) => !isRenamedParam(name, type)),
      withDefaults(values, type.templateFields.defaults),
    ),
    tenant,
    signal,
  }
  const grantSecrets = params.filter(([name]) => SECRET_PARAMS.has(name)).map(([, value]) => value)
  const secrets = [values, client.clientSecret, grantSecrets]
  try {
    const response = await sendClientRequest({ egressGateway }, request)
    return parseTokenResponse(response, { now: now(), secrets, refreshErrors })
  } catch (error) {
    if (error instanceof EgressError) return toUnavailableResult(error)
    throw error
  }
}

/** A spec may add parameters and override the grant type, but not the parameters that identify the grant. */
function mergeParams(
  baseParams: ParamList,
  specParams: ParamList,
  values: TemplateValues,
): ParamList {
  const addedParams = specParams
    .filter(([name]) => !PROTECTED_PARAMS.has(name.toLowerCase()))
    .map(([name, value]) => [name, fillPlaceholders(value, values)] as const)
  const overriddenNames = new Set(addedParams.map(([name]) => name))
  return [...baseParams.filter(([name]) => !overriddenNames.has(name)), ...addedParams]
}

const PROTECTED_PARAMS: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
])

/** Our own parameters that must not appear in the result. */
const SECRET_PARAMS: ReadonlySet<string> = new Set(['code', 'code_verifier', 'refresh_token'])

/**
 * The outcome of a request without a response. The reply counts as possibly lost unless the failure certainly happened
 * before the first byte was sent.
 */
export function toUnavailableResult(error: EgressError): TokenUnavailableResult {
  return {
    kind: 'unavailable',
    reason: REASON_BY_CODE.get(error.code) ?? 'unreachable',
    replyMayBeLost: !wasNeverSent(error),
    ...(error instanceof CircuitOpenError ? { retryAfterMs: error.retryAfterMs } : {}),
  }
}

const REASON_BY_CODE: ReadonlyMap<string, TokenUnavailableResult['reason']> = new Map([
  ['timeout', 'timeout'],
  // All signals here are deadlines of callers.
  ['aborted', 'timeout'],
  ['too_large', 'invalid_response'],
  ['too_many_redirects', 'invalid_response'],
  ['egress_unavailable', 'egress_unavailable'],
] as const)

/** Errors of lookup and connect. ETIMEDOUT is one: on an open connection the egress gateway's deadline fires first. */
const PRE_SEND_ERROR_CODES =
  /^(?:EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_TLS_CERT_ALTNAME_INVALID)$/

const NEVER_SENT_CODES: ReadonlySet<string> = new Set([
  'circuit_open',
  'egress_unavailable',
  'refused',
])

function wasNeverSent(error: EgressError): boolean {
  if (NEVER_SENT_CODES.has(error.code)) return true
  return error.code === 'unreachable' && PRE_SEND_ERROR_CODES.test(error.systemCode ?? '')
}
