import { type Config, fillText } from '../../values/fill.ts'
import type { SignInFixture } from '../fixtures.ts'
import type { SignIn } from './read-sign-in.ts'
import { CLIENT, REDIRECT_NAME } from './sign-in-client.ts'

/** A user's grant, as stored by the provider. */
export interface Consent {
  readonly scope: string
  readonly redirectUri: string
  /** S256 (RFC 7636); undefined without PKCE. */
  readonly challenge: string | undefined
  readonly isOffline: boolean
}

/** Validates an authorization request as a provider (RFC 6749, section 4.1.1). */
export function validateAuthorizationRequest(
  { pushUrl }: SignIn,
  { authorize = '', pkce, offline = {}, redirectName }: SignInFixture,
  params: URLSearchParams,
  config: Config,
): { readonly consent: Consent; readonly errors: readonly string[] } {
  const challenge = params.get('code_challenge') ?? undefined
  const expectedParams = new URLSearchParams(authorize.split('?')[1] ?? '')
  const paramErrors = [...expectedParams].flatMap(([name, template]) => {
    const value = fillText(template, config)
    const actual = params.get(name)
    if (actual === value) return []
    return [
      `the authorization request has ${name} ${formatValue(actual)}, not ${formatValue(value)}`,
    ]
  })
  const method = params.get('code_challenge_method')
  const rules: [boolean, string][] = [
    [params.get('client_id') === CLIENT.id, 'the authorization request has no client_id'],
    [
      (redirectName === true) === (params.get('redirect_uri') === REDIRECT_NAME),
      redirectName
        ? 'the provider expects an assigned name as redirect_uri: set redirectName'
        : 'the provider assigns no name to a redirect URI: omit redirectName',
    ],
    [
      pkce !== 'required' || method === 'S256',
      'the provider requires PKCE, but SPEC disables it: omit pkce',
    ],
    [pkce !== 'refused' || challenge === undefined, 'the provider rejects PKCE: set pkce: false'],
    [
      pushUrl === undefined || !params.has('request_uri'),
      'the pushed authorization request is unknown',
    ],
  ]
  return {
    consent: {
      scope: params.get('scope') ?? '',
      redirectUri: params.get('redirect_uri') ?? '',
      challenge,
      isOffline: Object.entries(offline).every(([name, value]) =>
        (params.get(name) ?? '').split(/[\s,+]+/).includes(value),
      ),
    },
    errors: [
      ...paramErrors,
      ...rules.filter(([isValid]) => !isValid).map(([, message]) => message),
    ],
  }
}

function formatValue(value: string | null): string {
  return value === null ? 'missing' : `"${value}"`
}
