import { ApiError, fieldError } from '../../platform/errors.ts'

/** The header as Node names it. */
export const HEADER = 'idempotency-key'
const MAX_LENGTH = 255

/**
 * Parses `Idempotency-Key`: 1 to 255 visible ASCII characters, which may be a quoted string of RFC 9651, section 3.3.3
 * (draft-ietf-httpapi-idempotency-key-header-07, section 2.1). Both forms name the same key.
 *
 * @throws ApiError `invalid_parameter` that names the header
 */
export function parseIdempotencyKey(header: string | string[]): string {
  // Node joins repeated headers with ", ", which is not visible.
  const key = typeof header === 'string' ? unquote(header) : undefined
  if (key === undefined || key.length > MAX_LENGTH || !/^[!-~]+$/.test(key)) throw createError()
  return key
}

function unquote(text: string): string | undefined {
  if (!text.startsWith('"')) return text
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]
  return quoted?.replaceAll(/\\(.)/g, '$1')
}

function createError(): ApiError {
  const message = 'Must be 1 to 255 visible ASCII characters, in quotes or without.'
  return new ApiError('invalid_parameter', `The header Idempotency-Key is invalid. ${message}`, {
    errors: fieldError('Idempotency-Key', 'invalid', message),
  })
}
