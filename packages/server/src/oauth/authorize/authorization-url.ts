import type { OAuthType, Params } from '../spec/auth-type.ts'
import { fillText, type TemplateValues } from '../template/template-value.ts'
import { fillTemplate } from '../template/url-template.ts'

/** What one authorization request is made of. */
export interface AuthorizationRequest {
  readonly type: OAuthType
  readonly clientId: string
  readonly redirectUri: string
  /** The app's scopes; the spec's default scopes come before them. */
  readonly scopes: readonly string[]
  readonly state: string
  /** S256 challenge; needed when the type uses PKCE. */
  readonly codeChallenge?: string | undefined
  /** The config that `${name}` is filled from. */
  readonly values: TemplateValues
}

/**
 * The URL that a person is sent to for consent (RFC 6749 section 4.1.1, RFC 7636 section 4.3). The spec's parameters
 * add to it and may change everything that does not protect the flow; the URL's own query stays.
 *
 * @throws TemplateError when the config cannot fill a `${name}`
 * @throws TypeError when the type uses PKCE and there is no challenge: never without
 */
export function buildAuthorizationUrl(request: AuthorizationRequest): string {
  const { type, values } = request
  if (type.usesPkce && !request.codeChallenge) throw new TypeError('This type needs a challenge.')
  const url = new URL(fillTemplate(type.authorizationUrl, values, type.templateFields))
  const asked = type.authorizationParams.filter(([name]) => !PROTECTED.has(name.toLowerCase()))
  const scope = joinScopes(request)
  const ours: Params = [
    ['response_type', 'code'],
    ['client_id', request.clientId],
    ['redirect_uri', request.redirectUri],
    ...(scope === '' ? [] : [['scope', scope] as const]),
    ['state', request.state],
    ...challengeParams(request),
  ]
  const query = new URLSearchParams(url.search)
  for (const name of [...ours.map(([own]) => own), ...asked.map(([own]) => own), ...DIVERTING]) {
    query.delete(name)
  }
  const named = new Set(asked.map(([name]) => name))
  for (const [name, value] of ours) if (!named.has(name)) query.append(name, value)
  for (const [name, value] of asked) query.append(name, fillText(value, values))
  // Some servers do not read "+" as a space outside of forms.
  url.search = query.toString().replaceAll('+', '%20')
  return url.href
}

/** They would send the answer elsewhere than to the query of our callback, or hide what is asked. */
const DIVERTING: readonly string[] = ['request', 'request_uri', 'response_mode']
/** What protects the flow. Scopes are joined, not replaced. */
const PROTECTED: ReadonlySet<string> = new Set([
  ...DIVERTING,
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'scope',
  'state',
])

/** Default scopes, the app's and those that older specs put among the parameters, each once. */
function joinScopes({ type, scopes }: AuthorizationRequest): string {
  const asked = type.authorizationParams
    .filter(([name]) => name === 'scope')
    .flatMap(([, value]) => value.split(type.scopeSeparator))
  const all = [...type.defaultScopes, ...asked, ...scopes].map((scope) => scope.trim())
  return [...new Set(all)].filter((scope) => scope !== '').join(type.scopeSeparator)
}

function challengeParams({ type, codeChallenge }: AuthorizationRequest): Params {
  if (!type.usesPkce || !codeChallenge) return []
  return [
    ['code_challenge', codeChallenge],
    ['code_challenge_method', 'S256'],
  ]
}
