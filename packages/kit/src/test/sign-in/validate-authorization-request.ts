import { type Config, fillText } from '../../run/fill.ts'
import type { SignInFixture } from '../fixtures.ts'
import type { SignIn } from './read-sign-in.ts'
import { CLIENT } from './sign-in-client.ts'

/** What a person agreed to, as the provider keeps it. */
export interface Consent {
  readonly scope: string
  readonly redirectUri: string
  /** S256 (RFC 7636); undefined without PKCE. */
  readonly challenge: string | undefined
  readonly isOffline: boolean
}

/** What a provider makes of a request for consent (RFC 6749, section 4.1.1). */
export function validateAuthorizationRequest(
  { pushUrl }: SignIn,
  { authorize = '', pkce, offline = {} }: SignInFixture,
  params: URLSearchParams,
  config: Config,
): { readonly consent: Consent; readonly errors: readonly string[] } {
  const challenge = params.get('code_challenge') ?? undefined
  const expectedParams = new URLSearchParams(authorize.split('?')[1] ?? '')
  const paramErrors = [...expectedParams].flatMap(([name, template]) => {
    const value = fillText(template, config)
    const actual = params.get(name)
    if (actual === value) return []
    return [`the request for consent has ${name} ${formatValue(actual)}, not ${formatValue(value)}`]
  })
  const method = params.get('code_challenge_method')
  const rules: [boolean, string][] = [
    [params.get('client_id') === CLIENT.id, 'the request for consent names no client'],
    [
      pkce !== 'required' || method === 'S256',
      'the provider wants PKCE, but SPEC switches it off: leave pkce out',
    ],
    [pkce !== 'refused' || challenge === undefined, 'the provider refuses PKCE: say pkce: false'],
    [pushUrl === undefined || !params.has('request_uri'), 'the pushed request is not known'],
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
