import { type Config, fillText } from '../../run/fill.ts'
import type { SignInAnswers } from '../fixtures.ts'
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
export function judgeConsent(
  { pushUrl }: SignIn,
  { authorize = '', pkce, offline = {} }: SignInAnswers,
  said: URLSearchParams,
  config: Config,
): { readonly consent: Consent; readonly faults: readonly string[] } {
  const challenge = said.get('code_challenge') ?? undefined
  const wanted = new URLSearchParams(authorize.split('?')[1] ?? '')
  const wrong = [...wanted].flatMap(([name, template]) => {
    const value = fillText(template, config)
    const found = said.get(name)
    if (found === value) return []
    return [`the request for consent has ${name} ${show(found)}, not ${show(value)}`]
  })
  const method = said.get('code_challenge_method')
  const faults: [boolean, string][] = [
    [said.get('client_id') === CLIENT.id, 'the request for consent names no client'],
    [
      pkce !== 'required' || method === 'S256',
      'the provider wants PKCE, but SPEC switches it off: leave pkce out',
    ],
    [pkce !== 'refused' || challenge === undefined, 'the provider refuses PKCE: say pkce: false'],
    [pushUrl === undefined || !said.has('request_uri'), 'the pushed request is not known'],
  ]
  return {
    consent: {
      scope: said.get('scope') ?? '',
      redirectUri: said.get('redirect_uri') ?? '',
      challenge,
      isOffline: Object.entries(offline).every(([name, value]) =>
        (said.get(name) ?? '').split(/[\s,+]+/).includes(value),
      ),
    },
    faults: [...wrong, ...faults.filter(([isFine]) => !isFine).map(([, fault]) => fault)],
  }
}

function show(value: string | null): string {
  return value === null ? 'missing' : `"${value}"`
}
