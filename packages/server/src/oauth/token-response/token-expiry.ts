import { getField, type ResponseFields } from './parse-response-body.ts'

/**
 * When an access token ends, in milliseconds since 1970, from whatever the answer says: seconds as number or text, or a
 * date. Undefined when it says nothing, nothing sensible, never (0, negative), or a time that is over.
 */
export function tokenExpiry(fields: ResponseFields, now: number): number | undefined {
  for (const name of EXPIRY_FIELDS) {
    const instant = parseInstant(getField(fields, name), now)
    if (instant !== undefined && instant > now) return instant
  }
  return undefined
}

const EXPIRY_FIELDS: readonly string[] = [
  'expires_in',
  'expiresIn',
  'expires_at',
  'expiresAt',
  'expires',
]
/** More seconds than this are no span (31 years) but seconds since 1970 … */
const MAX_DURATION_SECONDS = 1e9
/** … up to the year 5138, … */
const MAX_EPOCH_SECONDS = 1e11
/** … and beyond it milliseconds since 1970, up to the same year. */
const MAX_EPOCH_MS = 1e14

function parseInstant(value: unknown, now: number): number | undefined {
  const number = parseNumber(value)
  if (number === undefined) return typeof value === 'string' ? parseDate(value) : undefined
  if (number >= MAX_EPOCH_MS) return undefined
  if (number < MAX_DURATION_SECONDS) return now + Math.floor(number * 1_000)
  return Math.floor(number < MAX_EPOCH_SECONDS ? number * 1_000 : number)
}

function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value))
    return undefined
  return Number(value)
}

/** ISO 8601, or the date of HTTP and e-mail. Nothing that a lenient parser would only guess. */
function parseDate(text: string): number | undefined {
  if (!/^(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2}, \d\d? )/.test(text) || text.length > 40)
    return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant
}
