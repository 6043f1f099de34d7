import { createHash } from 'node:crypto'
import { type Config, fillDeep, fillUrl } from '../../values/fill.ts'
import type { SandboxResponse, TestSandbox } from '../test-sandbox.ts'
import { parseTokenResponse, type SignInTokens } from './parse-token-response.ts'
import type { Params, SignIn } from './read-sign-in.ts'
import { type RevokedTokens, sendRevocations } from './send-revocation.ts'

/** The app that is registered at the fake provider. The secret contains characters that encodings change. */
export const CLIENT = { id: 'test-client', secret: 'te+s/t=%&-client' } as const
export const REDIRECT_URI = 'https://linchpin.test/api/v1/oauth/callback'
/** What a provider that assigns names has assigned to it. */
export const REDIRECT_NAME = 'Linchpin-Test-redirect'

/** A violation of the protocol by the provider. */
class ProtocolViolation extends Error {}

/** Implements OAuth 2 like Linchpin; a test proves that both send the same requests. */
export interface SignInClient {
  /** The authorization URL. */
  authorize(state: string, verifier: string): Promise<string>
  exchange(code: string, verifier: string): Promise<SignInTokens>
  refresh(refreshToken: string): Promise<SignInTokens>
  /** Exchanges an access token: the first one, or a later one. */
  exchangeToken(accessToken: string, which: 'first' | 'next'): Promise<SignInTokens>
  revoke(tokens: RevokedTokens): Promise<void>
}

/** Each of its functions throws a SignInError when the provider rejects the request. */
export function createSignInClient(
  sandbox: Pick<TestSandbox, 'request'>,
  signIn: SignIn,
  config: Config,
): SignInClient {
  const values = { ...config, client_id: CLIENT.id }
  const post = async (url: string, params: Params, isJson = signIn.isJson) => {
    const { inHeader } = signIn
    const clientCredentials = inHeader ? {} : { client_id: CLIENT.id, client_secret: CLIENT.secret }
    const body = rename(signIn, { ...params, ...clientCredentials })
    const response = await sandbox.request(fillUrl(url, values), {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        ...(inHeader && { authorization: BASIC }),
      },
      body: isJson ? JSON.stringify(body) : new URLSearchParams(body).toString(),
    })
    return assertOk(url, response)
  }
  const requestTokens = async (url: string, protocolParams: Params, specParams: Params) => {
    const tokens = parseTokenResponse(
      await post(url, {
        ...protocolParams,
        ...withoutProtectedParams(fillDeep(specParams, values)),
      }),
    )
    if (tokens === undefined) throw new ProtocolViolation(`${url} returned no access token`)
    return tokens
  }
  return {
    async authorize(state, verifier) {
      const params = authorizationParams(signIn, state, verifier, values)
      const url = new URL(fillUrl(signIn.authorizationUrl, values))
      if (signIn.pushUrl === undefined) return withQuery(url, rename(signIn, params))
      const pushedParams = { ...Object.fromEntries(url.searchParams), ...params }
      const pushed = JSON.parse(await post(signIn.pushUrl, pushedParams, false))
      const request_uri = String(pushed.request_uri)
      return withQuery(url, rename(signIn, { client_id: CLIENT.id, request_uri }))
    },
    exchange: (code, verifier) =>
      requestTokens(
        signIn.tokenUrl,
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: getRedirectUri(signIn),
          ...(signIn.usesPkce && { code_verifier: verifier }),
        },
        signIn.tokenParams,
      ),
    refresh: (refreshToken) =>
      requestTokens(
        signIn.refreshUrl,
        { grant_type: 'refresh_token', refresh_token: refreshToken },
        signIn.refreshParams,
      ),
    async exchangeToken(accessToken, which) {
      const { exchange } = signIn
      const { url, params } =
        (which === 'first' ? exchange?.first : exchange) ?? exchange ?? NO_EXCHANGE
      const all = { ...values, client_secret: CLIENT.secret, access_token: accessToken }
      const target = withQuery(new URL(fillUrl(url, values)), fillDeep(params, all))
      const headers = { accept: 'application/json' }
      const response = await sandbox.request(target, { method: 'GET', headers })
      const tokens = parseTokenResponse(assertOk(url, response))
      if (tokens === undefined) throw new ProtocolViolation(`${url} returned no access token`)
      return tokens
    },
    async revoke(tokens) {
      const { revocation } = signIn
      const app = { ...CLIENT, basic: BASIC }
      if (await sendRevocations(sandbox, revocation, tokens, values, app)) return
      throw new ProtocolViolation(`${revocation[0]?.url} did not confirm the revocation`)
    },
  }
}

const NO_EXCHANGE = { url: '', params: {} }

function getRedirectUri({ hasRedirectName }: SignIn): string {
  return hasRedirectName ? REDIRECT_NAME : REDIRECT_URI
}

/** The parameters under the provider's names. */
function rename({ paramNames }: SignIn, params: Params): Params {
  const entries = Object.entries(params)
  return Object.fromEntries(entries.map(([name, value]) => [paramNames[name] ?? name, value]))
}

/** RFC 6749, section 2.3.1: both parts are form-encoded first. */
const BASIC = `Basic ${btoa(Object.values(CLIENT).map(encodeURIComponent).join(':'))}`

/**
 * RFC 6749, section 4.1.1, and RFC 7636, section 4.3. The spec's parameters apply, except for those that protect the
 * flow.
 */
function authorizationParams(
  signIn: SignIn,
  state: string,
  verifier: string,
  values: Config,
): Params {
  const { scopes, separator, authorizationParams, usesPkce } = signIn
  const { scope: extraScopes = '', ...params } = fillDeep(authorizationParams, values)
  const scope = [...new Set([...scopes, ...extraScopes.split(separator)])]
    .filter(Boolean)
    .join(separator)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    response_type: 'code',
    ...(scope && { scope }),
    ...params,
    client_id: CLIENT.id,
    redirect_uri: getRedirectUri(signIn),
    state,
    ...(usesPkce && { code_challenge: challenge, code_challenge_method: 'S256' }),
  }
}

/** Parameters of a spec never override those that identify a grant. */
function withoutProtectedParams(params: Params): Params {
  const entries = Object.entries(params).filter(([name]) => !PROTECTED_PARAMS.test(name))
  return Object.fromEntries(entries)
}

const PROTECTED_PARAMS =
  /^(?:client_id|client_secret|code|code_verifier|redirect_uri|refresh_token)$/

function withQuery(url: URL, params: Params): string {
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  url.search = url.search.replaceAll('+', '%20')
  return url.href
}

function assertOk(url: string, { status, body }: SandboxResponse): string {
  if (status >= 200 && status < 300 && !/^\{"(?:ok":false|error":)/.test(body)) return body
  throw new ProtocolViolation(`${url} returned ${status} ${body.slice(0, 200)}`)
}
