import { type Gate, GateError, type Tenant } from '@linchpin/runner'
import { asDeadGrant } from '../answer/dead-grant.ts'
import { judgeTokenAnswer } from '../answer/token-answer.ts'
import type { TokenResult } from '../answer/token-result.ts'
import type { OAuthType, Params } from '../spec/auth-type.ts'
import { fillText, type TemplateValues, withDefaults } from '../template/template-value.ts'
import { fillTemplate } from '../template/url-template.ts'
import { type OAuthClient, sendAsClient } from './client-request.ts'
import { lostRequest } from './lost-request.ts'

/** What talking to a provider needs. */
export interface ProtocolDeps {
  readonly gate: Gate
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
export interface Refresh {
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
  deps: ProtocolDeps,
  exchange: CodeExchange,
): Promise<TokenResult> {
  const { type, code, codeVerifier } = exchange
  if (type.usesPkce && !codeVerifier) throw new TypeError('This type needs a code verifier.')
  return await ask(deps, exchange, {
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
export async function refreshTokens(deps: ProtocolDeps, refresh: Refresh): Promise<TokenResult> {
  const { type, refreshToken } = refresh
  const result = await ask(deps, refresh, {
    url: type.refreshUrl,
    specParams: type.refreshParams,
    params: [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
    ],
  })
  return asDeadGrant(result)
}

interface Question {
  readonly url: string
  readonly specParams: Params
  readonly params: Params
}

async function ask(
  { gate, now }: ProtocolDeps,
  { type, client, values, tenant, signal }: CodeExchange | Refresh,
  { url, specParams, params }: Question,
): Promise<TokenResult> {
  const { bodyFormat } = type
  const request = {
    url: fillTemplate(url, values, type.templateFields),
    type,
    bodyFormat,
    client,
    params: merged(params, specParams, withDefaults(values, type.templateFields.defaults)),
    tenant,
    signal,
  }
  const grant = params.filter(([name]) => SECRETS.has(name)).map(([, value]) => value)
  const secrets = [values, client.clientSecret, grant]
  try {
    const answer = await sendAsClient({ gate }, request)
    return judgeTokenAnswer(answer, { now: now(), secrets })
  } catch (error) {
    if (error instanceof GateError) return lostRequest(error)
    throw error
  }
}

/** A spec may add parameters and name another grant type, but never replace what identifies this grant. */
function merged(ours: Params, fromSpec: Params, values: TemplateValues): Params {
  const added = fromSpec
    .filter(([name]) => !PROTECTED.has(name.toLowerCase()))
    .map(([name, value]) => [name, fillText(value, values)] as const)
  const names = new Set(added.map(([name]) => name))
  return [...ours.filter(([name]) => !names.has(name)), ...added]
}

const PROTECTED: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
])

/** Of the parameters that are ours. */
const SECRETS: ReadonlySet<string> = new Set(['code', 'code_verifier', 'refresh_token'])
