import { type Config, fillDeep } from '../../values/fill.ts'
import type { SignInFixture } from '../fixtures.ts'
import { type Reply, reply, toReply } from '../reply.ts'
import type { Consent } from './validate-authorization-request.ts'

/** The documented token response, and whether it contains a refresh token. */
export function createTokenResponse(
  { good = DEFAULT_TOKEN_RESPONSE, refreshed = good }: SignInFixture,
  { scope, isOffline }: Consent,
  values: Config,
  isRefresh: boolean,
): { readonly tokenReply: Reply; readonly rotates: boolean } {
  const { status, body, headers } = toReply(isRefresh ? refreshed : good)
  const offline = isOffline ? body : withoutValue(body, REFRESH)
  const template = scope === '' ? withoutValue(offline, SCOPE) : offline
  const filled = fillDeep(template, { ...values, scope })
  return {
    tokenReply: reply(status, filled, headers),
    rotates: JSON.stringify(template).includes(REFRESH),
  }
}

const REFRESH = '${refresh_token}'
const SCOPE = '${scope}'

/** The token response of providers that follow RFC 6749, section 5.1. */
export const DEFAULT_TOKEN_RESPONSE: Readonly<Record<string, unknown>> = {
  access_token: '${access_token}',
  refresh_token: REFRESH,
  token_type: 'Bearer',
  expires_in: 3_600,
  scope: SCOPE,
}

function withoutValue(value: unknown, text: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([, each]) => each !== text)
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutValue(each, text)]))
}
