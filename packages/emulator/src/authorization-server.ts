import { authorize, pushRequest } from './authorize.ts'
import type { Answer, ProviderRequest } from './exchange.ts'
import { exchangeAccessToken } from './exchange-access-token.ts'
import { revokeToken } from './revoke-token.ts'
import type { AuthorizationServerDeps, Responder, SignInContext, SignInMethod } from './sign-in.ts'
import { respondToTokenRequest } from './token-request.ts'
import { toUrlPattern, withoutQuery } from './url-pattern.ts'

/** The authorization servers of the providers (RFC 6749, 7009, 7636, 9126, 9207). */
export interface AuthorizationServer {
  /** Undefined: it has no endpoint at the URL. */
  respond(request: ProviderRequest): Answer | undefined
}

/** Several providers may share one server, such as those of Google. */
export function createAuthorizationServer(
  deps: AuthorizationServerDeps,
  methods: readonly SignInMethod[],
): AuthorizationServer {
  const context: SignInContext = { ...deps, codes: new Map(), pushed: new Map() }
  const endpoints = methods.flatMap(listEndpoints)
  return {
    respond(request) {
      const url = withoutQuery(request.url.href)
      const found = endpoints.filter(
        ({ kind, pattern }) => ACCEPTS[kind](request) && pattern.test(url),
      )
      const [first] = found
      if (first === undefined) return undefined
      const candidates = found.filter(({ kind }) => kind === first.kind).map((each) => each.method)
      return RESPONDERS[first.kind](context, request, candidates)
    },
  }
}

type EndpointKind = 'authorize' | 'token' | 'exchange' | 'revoke' | 'par'

function listEndpoints(method: SignInMethod) {
  const { authorize: authorization, token, refresh, exchanges, revocations, par } = method.signIn
  const urls: (readonly [EndpointKind, string])[] = [
    ['authorize', authorization],
    ...[...new Set([token, refresh])].map((url) => ['token', url] as const),
    ...listExchangeUrls(exchanges).map((url) => ['exchange', url] as const),
    ...revocations.map(({ url }) => ['revoke', url] as const),
    ...(par === undefined ? [] : [['par', par] as const]),
  ]
  return urls.map(([kind, url]) => ({ kind, method, pattern: toUrlPattern(url) }))
}

function listExchangeUrls(exchanges: SignInMethod['signIn']['exchanges']): string[] {
  return exchanges === undefined ? [] : [...new Set([exchanges.first.url, exchanges.next.url])]
}

/** What tells endpoints with the same URL apart. */
const ACCEPTS: Readonly<Record<EndpointKind, (request: ProviderRequest) => boolean>> = {
  // What the page sends has a decision. Egnyte takes token requests at the same URL.
  authorize: ({ method, body }) => method === 'GET' || /(?:^|&)decision=/.test(body),
  token: ({ method }) => method === 'POST',
  exchange: ({ method }) => method === 'GET',
  revoke: () => true,
  par: ({ method }) => method === 'POST',
}

const RESPONDERS: Readonly<Record<EndpointKind, Responder>> = {
  authorize,
  token: respondToTokenRequest,
  exchange: exchangeAccessToken,
  revoke: revokeToken,
  par: pushRequest,
}
