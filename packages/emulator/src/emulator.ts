import { createApiServer } from './api-server.ts'
import { createAuthorizationServer } from './authorization-server.ts'
import { type Control, createControl } from './control.ts'
import { type Answer, type ProviderRequest, readParams } from './exchange.ts'
import { createGrants, type Grants } from './grants.ts'
import { renderConsent, renderIndex, renderProvider } from './pages.ts'
import type { Provider, Reply } from './provider.ts'
import type { Consent } from './sign-in.ts'
import { toUrlPattern } from './url-pattern.ts'

/** A request as it arrives at the emulator. */
export interface EmulatorRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** A response, and how long it waits. */
export interface EmulatorReply extends Reply {
  readonly delayMs: number
}

/** Providers in memory. */
export interface Emulator {
  respond(request: EmulatorRequest): EmulatorReply
  /** What tests and `/_emulator/…` do with it. */
  readonly control: Control
}

export interface EmulatorOptions {
  readonly providers: readonly Provider[]
  /** A clock in milliseconds. */
  readonly now: () => number
  /** What an authorization request gets that says nothing itself. Default: `ask`, a page in the browser. */
  readonly consent?: Consent
}

/**
 * Creates an emulator. A request is for a provider if its path begins with `/_hosts/{host}/` or `/{key}/`, or if its `Host` is one of the
 * provider's, or if only one provider is emulated. Everything else is a page or `/_emulator/…`.
 */
export function createEmulator({ providers, now, consent = 'ask' }: EmulatorOptions): Emulator {
  const grants = createGrants(now)
  const control = createControl({ grants, consent, keys: providers.map(({ key }) => key) })
  const respondAsProvider = createProviders({ providers, grants, control, now })
  return {
    control,
    respond(request) {
      const meant = findMeantUrls(providers, request)
      if (meant.length === 0) return { ...respondItself(providers, control, request), delayMs: 0 }
      const { method, headers, body } = request
      const candidates = meant.map((url) => ({ url, method, headers, body }))
      const chosen = chooseRequest(providers, candidates)
      const answer = respondAsProvider(chosen)
      if (answer === undefined) return { ...NOT_EMULATED, delayMs: 0 }
      control.record(chosen, answer)
      return { ...answer, delayMs: control.takeDelay(answer.key) }
    },
  }
}

interface ProviderParts extends Pick<EmulatorOptions, 'providers' | 'now'> {
  readonly grants: Grants
  readonly control: Control
}

/** All authorization servers and APIs. Undefined: no provider has the host. */
function createProviders({ providers, grants, control, now }: ProviderParts) {
  const signIns = providers.flatMap((provider) =>
    Object.entries(provider.methods).flatMap(([authType, { signIn }]) =>
      signIn === undefined ? [] : [{ provider, authType, signIn }],
    ),
  )
  const authorizationServer = createAuthorizationServer(
    { grants, ...control.forSignIn, consentPage: renderConsent },
    signIns,
  )
  const apiServer = createApiServer({ grants, now, ...control.forApi }, providers)
  return (request: ProviderRequest): Answer | undefined => {
    const answer = authorizationServer.respond(request)
    // The same URL may take client credentials as well.
    const isOther = answer?.kind === 'token' && !isSignIn(request)
    return (isOther ? undefined : answer) ?? apiServer.respond(request) ?? answer
  }
}

/** A path below a key may belong to any of the provider's hosts: the first that has it, or the API. */
function chooseRequest(
  providers: readonly Provider[],
  candidates: readonly ProviderRequest[],
): ProviderRequest {
  const [first, ...others] = candidates as readonly [ProviderRequest, ...ProviderRequest[]]
  if (others.length === 0) return first
  return candidates.find((each) => isDocumented(providers, each)) ?? first
}

/** The status says that this server is not the one for the host (RFC 9110, section 15.5.20). */
const NOT_EMULATED: Reply = {
  status: 421,
  body: { error: 'This host is not emulated. Name its integration: linchpin emulate KEY …' },
}

/** Requests of a user's sign-in, where the same URL also takes client credentials. */
function isSignIn(request: ProviderRequest): boolean {
  if (request.method !== 'POST') return true
  const { code, refresh_token, grant_type, token, decision } = readParams(request)
  return (
    [code, refresh_token, token, decision].some((value) => value !== undefined) ||
    grant_type === 'authorization_code' ||
    grant_type === 'refresh_token'
  )
}

function isDocumented(providers: readonly Provider[], { url, method }: ProviderRequest): boolean {
  const text = url.origin + url.pathname
  return providers.some(({ methods }) =>
    Object.values(methods).some(({ endpoints, signIn, login }) =>
      [
        ...endpoints
          .filter((each) => each.method === method)
          .flatMap((each) => [each.url, each.example]),
        ...(signIn === undefined
          ? []
          : [
              signIn.authorize,
              signIn.token,
              signIn.refresh,
              signIn.par,
              signIn.exchanges?.first.url,
              signIn.exchanges?.next.url,
              ...signIn.revocations.map((each) => each.url),
            ]),
        login?.url,
      ].some((template) => template !== undefined && toUrlPattern(template).test(text)),
    ),
  )
}

/** The URLs that a request may mean; none if it is for the emulator itself. */
function findMeantUrls(
  providers: readonly Provider[],
  { target, headers }: EmulatorRequest,
): readonly URL[] {
  const [, host, rest = '/'] = /^\/_hosts\/([^/?#]+)([/?].*)?$/s.exec(target) ?? []
  if (host !== undefined) return parseAll([`https://${host}${rest}`])
  const [, key, below = ''] = /^\/([a-z0-9_]+)(\/.*)$/s.exec(target) ?? []
  const named = providers.find((provider) => provider.key === key)
  if (named !== undefined && below !== '')
    return parseAll(listBases(named).map((base) => base + below))
  const name = (headers.host ?? '').replace(/:\d+$/, '')
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])?$/.test(name) && name.includes('.'))
    return parseAll([`https://${name}${target}`])
  const [only, ...others] = providers
  const isOwn = /^\/(?:[?#]|$)|^\/_emulator\//.test(target) || target === `/${only?.key}`
  if (only === undefined || others.length > 0 || isOwn) return []
  return parseAll(listBases(only).map((base) => base + target))
}

/** The base URL of the API, its host, and the other hosts of the provider. */
function listBases({ base, methods }: Provider): string[] {
  const origins = Object.values(methods).flatMap(({ endpoints, signIn }) => [
    ...endpoints.map(({ example }) => new URL(example).origin),
    ...[signIn?.authorize, signIn?.token].flatMap(
      (url) => /^https:\/\/[^/$]+(?=\/)/.exec(url ?? '') ?? [],
    ),
  ])
  return [...new Set([base.replace(/\/+$/, ''), new URL(base).origin, ...origins])]
}

function parseAll(urls: readonly string[]): URL[] {
  return urls.flatMap((url) => URL.parse(url) ?? [])
}

/** Pages, and what controls the emulator. */
function respondItself(
  providers: readonly Provider[],
  control: Control,
  request: EmulatorRequest,
): Reply {
  const [path = '/'] = request.target.split('?')
  if (path.startsWith('/_emulator/')) return control.respond(request, path.slice(11))
  const wantsJson = /json/.test(request.headers.accept ?? '')
  if (path === '/')
    return wantsJson ? { status: 200, body: describe(providers) } : renderIndex(providers)
  const provider = providers.find(({ key }) => path === `/${key}`)
  if (provider === undefined)
    return { status: 404, body: { error: 'There is no such page. GET / lists what is served.' } }
  return wantsJson ? { status: 200, body: describe([provider])[0] } : renderProvider(provider)
}

/** What is served, for programs. */
function describe(providers: readonly Provider[]) {
  return providers.map(({ key, name, base, methods }) => ({
    key,
    name,
    baseUrl: base,
    authTypes: Object.entries(methods).map(([authType, { sends, endpoints, signIn, login }]) => ({
      authType,
      credentials: sends,
      endpoints: endpoints.map(({ method, example }) => `${method} ${example}`),
      ...(signIn !== undefined && {
        authorize: signIn.authorize,
        token: signIn.token,
        scopes: signIn.scopes,
      }),
      ...(login !== undefined && { login: `${login.method} ${login.url}` }),
    })),
  }))
}
