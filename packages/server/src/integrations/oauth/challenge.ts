/**
 * The parameters of the `Bearer` challenges of a response, one for each header, with names in lower case: `WWW-Authenticate: Bearer
 * scope="a b"` (RFC 6750 section 3).
 *
 * @param rawHeaders alternating names and values
 */
export function readBearerChallenges(rawHeaders: readonly string[]): ReadonlyMap<string, string>[] {
  const challenges: ReadonlyMap<string, string>[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'www-authenticate') continue
    const value = rawHeaders[index + 1]?.slice(0, MAX_LENGTH) ?? ''
    if (!/\bbearer\b/i.test(value)) continue
    const params = new Map<string, string>()
    for (const [, name = '', quoted, token] of value.matchAll(PARAM))
      params.set(name.toLowerCase(), quoted ?? token ?? '')
    challenges.push(params)
  }
  return challenges
}

const MAX_LENGTH = 8_192

/** auth-param (RFC 9110 section 11.2). Bounded, and anchored at the start of a name, so that its time is linear. */
const PARAM = /(?<![\w-])([\w-]{1,40})\s{0,3}=\s{0,3}(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g
