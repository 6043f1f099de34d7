import { randomUUID } from 'node:crypto'
import { type Config, fillUrl } from '../../values/fill.ts'
import type { ReceivedRequest } from '../fake-provider.ts'
import type { SignInFixture } from '../fixtures.ts'
import { type Reply, reply } from '../reply.ts'
import { respondToRevocation } from './fake-revocation.ts'
import type { SignIn } from './read-sign-in.ts'
import { CLIENT, REDIRECT_NAME, REDIRECT_URI } from './sign-in-client.ts'
import { createTokenResponse } from './token-response.ts'
import { type Consent, validateAuthorizationRequest } from './validate-authorization-request.ts'
import { parseParams, validateTokenRequest } from './validate-token-request.ts'

/** A provider's sign-in pages and endpoints, with state. */
export interface FakeSignIn {
  /** Undefined: not one of its endpoints. */
  respond(request: ReceivedRequest): Reply | undefined
  /** Errors in the requests. */
  readonly errors: readonly string[]
  /** Names of the endpoints that received requests. */
  readonly requestedEndpoints: readonly string[]
  /** The next user denies access. */
  deny(): void
  /** Expires every access token that was issued so far. */
  expire(): void
  isActive(accessToken: string): boolean
  isRefreshable(refreshToken: string): boolean
  /** The access token that was issued last. */
  readonly newest: string | undefined
  /** Sets who sends requests from now on: a bundle, or Linchpin. */
  setBundleActive(isActiveNow: boolean): void
  /** A bundle got its own tokens, instead of using those in its config. */
  readonly isRefreshedByBundle: boolean
}

/** Fakes what the fixtures document; otherwise, what the spec declares. */
export function simulateSignIn(
  signIn: SignIn,
  documented: SignInFixture,
  config: Config,
  isRotationDocumented = true,
): FakeSignIn {
  const errors: string[] = []
  const requestedEndpoints: string[] = []
  const consents = new Map<string, Consent>()
  const pushed = new Map<string, URLSearchParams>()
  const activeTokens = new Set<string>()
  const issued: string[] = []
  const refreshGrants = new Map<string, Consent>()
  let isDenied = false
  let newest: string | undefined
  let isBundle = false
  let isRefreshedByBundle = false

  /** Issues tokens for a grant; the refresh token that was used expires when a new one is issued. */
  const issueTokens = (consent: Consent, usedRefreshToken?: string): Reply => {
    const tokens = {
      access_token: `access.${randomUUID()}~`,
      refresh_token: `again.${randomUUID()}`,
    }
    const values = { ...config, ...tokens }
    const { tokenReply, rotates } = createTokenResponse(
      documented,
      consent,
      values,
      usedRefreshToken !== undefined,
    )
    newest = tokens.access_token
    activeTokens.add(newest)
    issued.push(tokens.refresh_token, newest)
    if (rotates) {
      // Whether a refresh token expires after use is up to the documentation.
      if (!isBundle || isRotationDocumented) refreshGrants.delete(usedRefreshToken ?? '')
      refreshGrants.set(tokens.refresh_token, consent)
    }
    return tokenReply
  }

  const codeName = documented.paramNames?.code ?? 'code'
  const withStandardNames = (params: Iterable<readonly [string, string]>) =>
    new URLSearchParams(
      [...params].map(([name, value]): [string, string] => [
        toStandardName(documented, name),
        value,
      ]),
    )

  const consent = ({ url }: ReceivedRequest): Reply => {
    const requested = pushed.get(url.searchParams.get('request_uri') ?? '') ?? url.searchParams
    const params = withStandardNames(requested)
    const validated = validateAuthorizationRequest(signIn, documented, params, config)
    errors.push(...validated.errors)
    const redirectUri = params.get('redirect_uri') ?? 'https://nowhere.test'
    const redirectUrl = new URL(redirectUri === REDIRECT_NAME ? REDIRECT_URI : redirectUri)
    const code = randomUUID()
    redirectUrl.searchParams.set('state', params.get('state') ?? '')
    if (validated.errors.length > 0)
      return reply(400, '<h1>This is not an authorization request</h1>')
    if (isDenied) redirectUrl.searchParams.set('error', 'access_denied')
    else redirectUrl.searchParams.set(codeName, code)
    if (!isDenied) consents.set(code, validated.consent)
    isDenied = false
    for (const [name, value] of Object.entries(documented.callback ?? {}))
      redirectUrl.searchParams.set(name, value)
    return reply(302, '', { location: redirectUrl.href })
  }

  const tokenEndpoint = (request: ReceivedRequest): Reply => {
    const params = Object.fromEntries(withStandardNames(Object.entries(parseParams(request))))
    const requestErrors = validateTokenRequest(
      documented,
      request,
      params,
      consents.get(params.code ?? ''),
    )
    errors.push(...requestErrors)
    if (requestErrors.length > 0) return reply(400, { error: 'invalid_request' })
    const { code = '', refresh_token: usedRefreshToken } = params
    isRefreshedByBundle ||= isBundle && usedRefreshToken !== undefined
    const grant =
      usedRefreshToken === undefined ? consents.get(code) : refreshGrants.get(usedRefreshToken)
    consents.delete(code)
    return grant === undefined
      ? reply(400, { error: 'invalid_grant' })
      : issueTokens(grant, usedRefreshToken)
  }

  const revoke = (token: string) => {
    if (!activeTokens.delete(token) && refreshGrants.delete(token)) activeTokens.clear()
  }
  /** Issues an access token for one that is active. */
  const exchangeEndpoint =
    (template: string): EndpointHandler =>
    ({ url }) => {
      const { access_token: _token, ...values } = config
      const used = [...url.searchParams.values()].find((value) => activeTokens.has(value))
      const expected = fillUrl(template, {
        ...values,
        access_token: used ?? 'none',
        client_secret: CLIENT.secret,
      })
      const wanted = [...new URL(expected).searchParams].sort().join('&')
      if ([...url.searchParams].sort().join('&') !== wanted)
        errors.push(`the exchange of a token was not sent as ${template}`)
      return used === undefined
        ? reply(400, { error: 'invalid_grant' })
        : issueTokens(GRANTED, used)
    }
  const { exchange, firstExchange = exchange } = documented

  const endpoints: Readonly<Record<string, readonly [string | undefined, EndpointHandler]>> = {
    consent: [documented.authorize ?? signIn.authorizationUrl, consent],
    firstExchange: [firstExchange, exchangeEndpoint(firstExchange ?? '')],
    exchange: [exchange, exchangeEndpoint(exchange ?? '')],
    push: [
      signIn.pushUrl,
      ({ body }) => {
        const request_uri = `urn:test:${randomUUID()}`
        pushed.set(request_uri, new URLSearchParams(body))
        return reply(201, { request_uri, expires_in: 60 })
      },
    ],
    token: [documented.token ?? signIn.tokenUrl, tokenEndpoint],
    refresh: [documented.refresh ?? documented.token ?? signIn.refreshUrl, tokenEndpoint],
  }

  return {
    errors,
    requestedEndpoints,
    respond(request) {
      const revocation = respondToRevocation(signIn, documented, request, { config, issued })
      if (revocation !== undefined) {
        requestedEndpoints.push('revocation')
        errors.push(...revocation.errors)
        if (revocation.token !== undefined) revoke(revocation.token)
        return revocation.reply
      }
      for (const [name, [template, handler]] of Object.entries(endpoints)) {
        // The query of an exchange has tokens.
        const [address = ''] = template?.split('?') ?? []
        const endpointUrl = address === '' ? undefined : new URL(fillUrl(address, config))
        if (endpointUrl === undefined || endpointUrl.origin !== request.url.origin) continue
        if (endpointUrl.pathname !== request.url.pathname) continue
        if (GET_ENDPOINTS.has(name) !== (request.method === 'GET')) continue
        requestedEndpoints.push(name)
        return handler(request)
      }
      return undefined
    },
    deny() {
      isDenied = true
    },
    expire: () => activeTokens.clear(),
    isActive: (token) => activeTokens.has(token),
    isRefreshable: (token) => refreshGrants.has(token),
    get newest() {
      return newest
    },
    setBundleActive(isActiveNow) {
      isBundle = isActiveNow
    },
    get isRefreshedByBundle() {
      return isRefreshedByBundle
    },
  }
}

const GET_ENDPOINTS: ReadonlySet<string> = new Set(['consent', 'firstExchange', 'exchange'])

/** What an exchange does not ask again. */
const GRANTED: Consent = { scope: '', redirectUri: '', challenge: undefined, isOffline: true }

function toStandardName({ paramNames = {} }: SignInFixture, name: string): string {
  const standard = Object.keys(paramNames).find((each) => paramNames[each] === name)
  // A parameter under its standard name is unknown to a provider that calls it something else.
  return standard ?? (name in paramNames ? `unknown_${name}` : name)
}

type EndpointHandler = (request: ReceivedRequest) => Reply
