import type {
  BodyFormat,
  ClientPlace,
  ProviderSignIn,
  Revocation,
  TokenExchange,
} from '../provider.ts'
import { withoutQuery } from '../url-pattern.ts'
import type { Facts } from './facts.ts'
import type { Fixture } from './provider-source.ts'
import { agree, choose, one } from './witnesses.ts'

/** Describes an authorization server. @throws Error when two witnesses contradict each other */
export function describeSignIn(facts: Facts, fixture: Fixture): ProviderSignIn {
  const { signIn = {} } = fixture
  const par = facts.text('par')
  const issuer = facts.text('issuer')
  const exchanges = describeExchanges(facts, signIn)
  return {
    ...describeEndpointUrls(facts, signIn),
    revocations: describeRevocations(facts, signIn.revocation),
    revokesGrant: facts.get('revokes') === 'grant',
    ...(par !== undefined && { par }),
    ...(issuer !== undefined && { issuer }),
    ...(exchanges !== undefined && { exchanges }),
    paramNames: describeParamNames(facts, signIn.paramNames),
    namesRedirects: describeRedirectName(facts, signIn.redirectName),
    pkce: describePkce(facts.get('pkce'), signIn.pkce),
    ...describeParams(facts, signIn),
    ...describeClient(facts, signIn),
    ...describeTokenResponses(facts, fixture),
  }
}

type SignInExamples = NonNullable<Fixture['signIn']>

function describeEndpointUrls(facts: Facts, signIn: SignInExamples) {
  const authorize = one('authorize', facts.text('authorize'), signIn.authorize)
  const token = one('token', facts.text('token'), signIn.token)
  if (authorize === undefined || token === undefined)
    throw new Error('neither the evidence nor the fixtures have the URLs of the sign-in')
  const refresh = one('refreshUrl', facts.text('refreshUrl'), signIn.refresh) ?? token
  return { authorize, token, refresh }
}

/** What is sent: the scopes, and parameters with fixed values. */
function describeParams(facts: Facts, signIn: SignInExamples) {
  const { scope = '', ...params } = readQuery(String(signIn.authorize ?? ''))
  const scopes = facts
    .below('scopes')
    .flatMap(([name, value]) => (name.startsWith('default') ? [String(value)] : []))
  return {
    scopes: facts.isEmpty ? scope.split(/[\s,]+/).filter((each) => each !== '') : scopes,
    separator: facts.text('scopes.separator') ?? ' ',
    authorizeParams: { ...params, ...facts.record('authorizeParams') },
    tokenParams: { ...(signIn.tokenParams as object), ...facts.record('tokenParams') },
    refreshParams: { ...(signIn.refreshParams as object), ...facts.record('refreshParams') },
    offline: (signIn.offline ?? {}) as Record<string, string>,
  }
}

function describeClient(facts: Facts, signIn: SignInExamples) {
  const client = choose<ClientPlace>('client', facts.text('client'), signIn.clientAuthentication)
  const body = choose<BodyFormat>('body', facts.text('body'), signIn.bodyFormat)
  return { ...(client !== undefined && { client }), ...(body !== undefined && { body }) }
}

/** What is sent back: by the redirect, and with tokens. */
function describeTokenResponses(facts: Facts, { signIn = {}, config = {} }: Fixture) {
  const { good = TOKEN_RESPONSE, refreshed = good } = signIn
  const listNames = (path: string) => facts.below(path).map(([, name]) => String(name))
  const callback = (signIn.callback ?? pick(config, listNames('callbackParams'))) as Record<
    string,
    string
  >
  const extra = facts.isEmpty
    ? omit(config, Object.keys(callback))
    : pick(config, listNames('tokenResponse'))
  return {
    callback,
    good: { ...extra, ...(good as object) },
    refreshed: { ...extra, ...(refreshed as object) },
  }
}

/** Exchanges of access tokens: one request, or another one for the first. */
function describeExchanges(
  facts: Facts,
  { exchange, firstExchange = exchange }: SignInExamples,
): ProviderSignIn['exchanges'] {
  const next = describeExchange(facts, 'renew', exchange)
  if (next === undefined) return undefined
  const hasFirst = facts.text('renew.first.url') !== undefined
  return {
    next,
    first: describeExchange(facts, hasFirst ? 'renew.first' : 'renew', firstExchange) ?? next,
  }
}

function describeExchange(facts: Facts, path: string, example: unknown): TokenExchange | undefined {
  const url = one(`${path}.url`, facts.text(`${path}.url`), example)
  if (url === undefined) return undefined
  const params = facts.record(`${path}.params`)
  if (example === undefined) return { url, params }
  const documented = readQuery(String(example))
  return { url, params: agree(`${path}.params`, facts.isEmpty ? undefined : params, documented) }
}

function describeParamNames(facts: Facts, documented: unknown): Record<string, string> {
  const names = facts.record('paramNames')
  if (documented === undefined) return names
  return agree('paramNames', facts.isEmpty ? undefined : names, documented as typeof names)
}

/** Whether the provider assigns names: the evidence has what it calls them. */
function describeRedirectName(facts: Facts, documented: unknown): boolean {
  const isNamed = facts.text('redirectName') !== undefined
  return agree('redirectName', facts.isEmpty ? undefined : isNamed, documented === true)
}

function readQuery(url: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? ''))
}

/** A URL stands for RFC 7009; otherwise one request, or several. */
function describeRevocations(facts: Facts, example: unknown): Revocation[] {
  const own = typeof example === 'string' ? example : undefined
  const url = one('revoke', facts.text('revoke'), own)
  const all = new Map(facts.below('revoke'))
  if (all.size === 0)
    return url === undefined ? [] : [{ method: 'POST', url, good: { status: 200, body: {} } }]
  return [...all].flatMap(([name, target]) => {
    const [, prefix = '', verb = ''] = /^(\d+\.)?(get|post|put|patch|delete)$/.exec(name) ?? []
    if (verb === '') return []
    const ok = all.get(`${prefix}ok`)
    const [status = 200] = [all.get(`${prefix}expect`) ?? []].flat().map(Number)
    const good = { status, body: toBody(ok) }
    return [{ method: verb.toUpperCase(), url: withoutQuery(`${target}`), good }]
  })
}

/** A body that a rule accepts: `{ path, equals }`, or a path alone. */
function toBody(rule: unknown): unknown {
  const { path = rule, equals = true } = Object(rule)
  if (typeof path !== 'string') return {}
  return path.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), equals)
}

/** RFC 6749, section 5.1. */
const TOKEN_RESPONSE = {
  access_token: '${access_token}',
  refresh_token: '${refresh_token}',
  token_type: 'Bearer',
  expires_in: 3_600,
  scope: '${scope}',
}

function describePkce(fact: unknown, documented: unknown): ProviderSignIn['pkce'] {
  if (fact === false && documented === 'required')
    throw new Error('the evidence has no PKCE, which the fixtures require')
  if (documented === 'required' || documented === 'refused') return documented
  return 'optional'
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, String(values[name])]),
  )
}

function omit(values: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}
