import { timingSafeEqual } from 'node:crypto'
import { hashSecret, isAccessToken } from './access-token.ts'

/**
 * The stored hash of a token of a console session. It differs from that of other tokens with the same value, so that
 * `Authorization: Bearer` never finds one, even if its value is known.
 */
export function hashSessionToken(token: string): Uint8Array {
  return hashSecret(`console session ${token}`)
}

/** The header with which the console of this process calls the API. `key`: random bytes of this process, base64url. */
export function formatConsoleAuthorization(key: string, token: string): string {
  return `Console ${key} ${token}`
}

/** The hash of the token of such a header; undefined for any other header, and for another key. */
export function readConsoleAuthorization(
  authorization: string,
  key: string,
): Uint8Array | undefined {
  const [scheme, sentKey = '', token = '', ...rest] = authorization.split(' ')
  if (scheme !== 'Console' || rest.length > 0 || !isAccessToken(token)) return undefined
  return timingSafeEqual(hashSecret(sentKey), hashSecret(key)) ? hashSessionToken(token) : undefined
}
