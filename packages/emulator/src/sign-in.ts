import { isAccepted, readClient } from './credentials.ts'
import type { Answer, ProviderRequest } from './exchange.ts'
import { fill, withoutMembers } from './fill.ts'
import type { Grant, Grants } from './grants.ts'
import type { Provider, ProviderSignIn, Reply } from './provider.ts'

/** What the user of a consent page decides. `partial`: all scopes but the last. */
export type Consent = 'allow' | 'deny' | 'partial' | 'ask'

export interface AuthorizationServerDeps {
  readonly grants: Grants
  /** What happens when an authorization request says nothing itself. */
  readonly consent: () => Consent
  /** Where the redirect goes if the provider has assigned a name to it. */
  readonly callbackUrl: () => string
  /** The page that asks for consent. */
  readonly consentPage: (page: ConsentPage) => Reply
}

export interface ConsentPage {
  readonly providerName: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** One authentication method with a sign-in. */
export interface SignInMethod {
  readonly provider: Provider
  readonly authType: string
  readonly signIn: ProviderSignIn
}

/** Parameters by their names in RFC 6749. */
export type Params = Readonly<Record<string, unknown>>

/** What the endpoints of all authorization servers share. */
export type SignInContext = AuthorizationServerDeps & {
  readonly codes: Map<string, IssuedCode>
  readonly pushed: Map<string, Params>
}

/** What the token request of a code must repeat or prove. */
export interface IssuedCode {
  readonly redirectUri: unknown
  readonly challenge: unknown
}

/** Responds to a request to an endpoint that some methods share: at least one. */
export type Responder = (
  context: SignInContext,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
) => Answer

export function answer(
  kind: Answer['kind'],
  { provider, authType }: SignInMethod,
  reply: Reply,
  deviations: readonly string[] = [],
): Answer {
  return { ...reply, kind, key: provider.key, authType, deviations }
}

/** An error of RFC 6749, section 5.2. */
export function fail(error: string, error_description: string): Reply {
  const status = error === 'invalid_client' ? 401 : 400
  return { status, body: { error, error_description } }
}

/** The names in RFC 6749 for those of the provider. A name that the provider does not use does not count. */
export function toStandardNames({ signIn }: SignInMethod, params: Params): Params {
  const { paramNames } = signIn
  const own = Object.entries(params).filter(([name]) => !Object.hasOwn(paramNames, name))
  const renamed = Object.entries(paramNames)
    .filter(([, name]) => Object.hasOwn(params, name))
    .map(([standard, name]) => [standard, params[name]])
  return { ...Object.fromEntries(own), ...Object.fromEntries(renamed) }
}

/** Client id and secret must be where the documents have them. */
export function findClientProblem(
  { signIn }: SignInMethod,
  request: ProviderRequest,
  params: Params,
): Reply | undefined {
  const sent = readClient(request, params)
  const client = signIn.client === undefined ? (sent.header ?? sent.body) : sent[signIn.client]
  if (client === undefined)
    return fail('invalid_client', `Client id and secret are not in the ${signIn.client}.`)
  if (client.id === '' || client.secret === '' || !isAccepted(client.secret))
    return fail('invalid_client', 'The client secret is wrong.')
  return undefined
}

/** Issues the tokens that a response template has. */
export function issueTokens(
  grants: Grants,
  grant: Grant,
  template: unknown,
  separator: string,
): Reply {
  const hasRefreshToken = hasRefreshTokenIn(template)
  const values = {
    access_token: grants.issue('access', grant, findLifetime(template)),
    ...(hasRefreshToken && { refresh_token: grants.issue('refresh', grant, REFRESH_SECONDS) }),
    scope: grant.scopes.join(separator),
  }
  const body = fill(values.scope === '' ? withoutMembers(template, '${scope}') : template, values)
  return { status: 200, body, headers: { 'cache-control': 'no-store' } }
}

export function hasRefreshTokenIn(template: unknown): boolean {
  return JSON.stringify(template).includes('${refresh_token}')
}

/** A year: the documents say when refresh tokens expire in sentences. */
const REFRESH_SECONDS = 365 * 24 * 3_600

/** `expires_in`, wherever the response has it. Without it, or with 0, a token does not expire. */
function findLifetime(body: unknown): number {
  const [, seconds] = /"expires_in":"?(\d+)/.exec(JSON.stringify(body)) ?? []
  return Number(seconds) || Number.POSITIVE_INFINITY
}
