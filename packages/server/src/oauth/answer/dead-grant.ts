import type { TokenResult } from './token-result.ts'

/**
 * A refusal of a refresh token that says in words, not by its code, that this token is not accepted any more, as
 * `invalid_grant` (RFC 6749 section 5.2): some providers say `unauthorized_client` or `invalid_request` for it. Everything
 * else as it is.
 */
export function asDeadGrant(result: TokenResult): TokenResult {
  const isDead =
    result.kind === 'refused' && result.error !== 'invalid_client' && DEAD.test(result.description)
  return isDead ? { ...result, error: 'invalid_grant' } : result
}

const TOKEN = '(?:access[ /]*)?refresh[ _-]?token'
const ENDED = '(?:invalid|expired|revoked|unknown|incorrect|not valid|not found|no longer valid)'

/** Close together, so that it is the token that is spoken of: "invalid client for a refresh token" is another matter. */
const DEAD = new RegExp(
  String.raw`\b${ENDED}(?: or ${ENDED})? ${TOKEN}\b(?! (?:grant|parameter|url|type|flow))|\b${TOKEN}(?: (?:passed|provided|given|supplied|you \w+))?(?: (?:is|was|has|been|already|either|or|${ENDED}))* ${ENDED}\b`,
  'i',
)
