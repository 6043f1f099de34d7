import { EgressError, type EgressGateway, type Tenant } from '@linchpin/runner'
import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'
import { fillPlaceholders, type TemplateValues, withDefaults } from '../template/template-value.ts'
import { fillUrlTemplate } from '../template/url-template.ts'
import { normalizeInvalidGrant } from '../token-response/invalid-grant.ts'
import { parseTokenResponse } from '../token-response/parse-token-response.ts'
import type { TokenResult } from '../token-response/token-result.ts'
import { type OAuthClient, sendClientRequest } from './client-request.ts'
import { unansweredRequest } from './unanswered-request.ts'

/** What talking to a provider needs. */
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
  /** The very one of the authorization request. */
  readonly redirectUri: string
  /** Needed when the type uses PKCE. */
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
 * Exchanges a code for tokens. It asks once: codes are used up by asking.
 *
 * @throws TemplateError when the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError when the client's secret may not go there, before anything is sent
 * @throws TypeError when the type uses PKCE and there is no verifier: never without
 */
export async function exchangeCode(
  deps: OAuthRequestDeps,
  exchange: CodeExchange,
): Promise<TokenResult> {
  const { type, code, codeVerifier } = exchange
  if (type.usesPkce && !codeVerifier) throw new TypeError('This type needs a code verifier.')
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
 * Asks for a new access token. It asks once: leases and retries are the caller's. Tokens without a refresh token mean
 * that the old one stays.
 *
 * @throws TemplateError when the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError when the client's secret may not go there, before anything is sent
 */
export async function refreshTokens(
  deps: OAuthRequestDeps,
  refresh: RefreshRequest,
): Promise<TokenResult> {
  const { type, refreshToken } = refresh
  const result = await requestTokens(deps, refresh, {
    url: type.refreshUrl,
    specParams: type.refreshParams,
    params: [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
    ],
  })
  return normalizeInvalidGrant(result)
}

interface TokenRequest {
  readonly url: string
  readonly specParams: ParamList
  readonly params: ParamList
}

async function requestTokens(
  { egressGateway, now }: OAuthRequestDeps,
  { type, client, values, tenant, signal }: CodeExchange | RefreshRequest,
  { url, specParams, params }: TokenRequest,
): Promise<TokenResult> {
  const { bodyFormat } = type
  const request = {
    url: fillUrlTemplate(url, values, type.templateFields),
    type,
    bodyFormat,
    client,
    params: mergeParams(params, specParams, withDefaults(values, type.templateFields.defaults)),
    tenant,
    signal,
  }
  const grantSecrets = params.filter(([name]) => SECRET_PARAMS.has(name)).map(([, value]) => value)
  const secrets = [values, client.clientSecret, grantSecrets]
  try {
    const response = await sendClientRequest({ egressGateway }, request)
    return parseTokenResponse(response, { now: now(), secrets })
  } catch (error) {
    if (error instanceof EgressError) return unansweredRequest(error)
    throw error
  }
}

/** A spec may add parameters and name another grant type, but never replace what identifies this grant. */
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

/** Of the parameters that are ours. */
const SECRET_PARAMS: ReadonlySet<string> = new Set(['code', 'code_verifier', 'refresh_token'])
