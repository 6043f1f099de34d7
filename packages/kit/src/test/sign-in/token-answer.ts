import { type Config, fillDeep } from '../../run/fill.ts'
import type { SignInAnswers } from '../fixtures.ts'
import { type Reply, reply, toReply } from '../reply.ts'
import type { Consent } from './judge-consent.ts'

/** The answer that gives tokens, as documented, and whether it brings a refresh token. */
export function tokenAnswer(
  { good = USUAL_TOKENS, renewed = good }: SignInAnswers,
  { scope, isOffline }: Consent,
  values: Config,
  isRenewal: boolean,
): { readonly answer: Reply; readonly rotates: boolean } {
  const { status, body, headers } = toReply(isRenewal ? renewed : good)
  const offline = isOffline ? body : without(body, REFRESH)
  const shown = scope === '' ? without(offline, SCOPE) : offline
  const filled = fillDeep(shown, { ...values, scope })
  return {
    answer: reply(status, filled, headers),
    rotates: JSON.stringify(shown).includes(REFRESH),
  }
}

const REFRESH = '${refresh_token}'
const SCOPE = '${scope}'

/** What providers answer that follow RFC 6749, section 5.1. */
export const USUAL_TOKENS: Readonly<Record<string, unknown>> = {
  access_token: '${access_token}',
  refresh_token: REFRESH,
  token_type: 'Bearer',
  expires_in: 3_600,
  scope: SCOPE,
}

function without(value: unknown, text: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([, each]) => each !== text)
  return Object.fromEntries(entries.map(([name, each]) => [name, without(each, text)]))
}
