import type { TokenResult } from './token-result.ts'

/**
 * A refusal of a refresh token that says in words, not by its code, that this token is not accepted any more, as
 * `invalid_grant` (RFC 6749 section 5.2): some providers say `unauthorized_client` or `invalid_request` for it. Everything
 * else as it is.
 */
export function normalizeInvalidGrant(result: TokenResult): TokenResult {
  const isInvalidGrant =
    result.kind === 'refused' &&
    result.error !== 'invalid_client' &&
    INVALID_GRANT.test(result.description)
  return isInvalidGrant ? { ...result, error: 'invalid_grant' } : result
}

const TOKEN_PATTERN = '(?:access[ /]*)?refresh[ _-]?token'
const INVALID_PATTERN =
  '(?:invalid|expired|revoked|unknown|incorrect|not valid|not found|no longer valid)'

/** Close together, so that it is the token that is spoken of: "invalid client for a refresh token" is another matter. */
const INVALID_GRANT = new RegExp(
  String.raw`\b${INVALID_PATTERN}(?: or ${INVALID_PATTERN})? ${TOKEN_PATTERN}\b(?! (?:grant|parameter|url|type|flow))|\b${TOKEN_PATTERN}(?: (?:passed|provided|given|supplied|you \w+))?(?: (?:is|was|has|been|already|either|or|${INVALID_PATTERN}))* ${INVALID_PATTERN}\b`,
  'i',
)
