import { getField, type ResponseFields } from './parse-response-body.ts'

/**
 * The expiry of an access token in milliseconds since 1970, parsed from seconds (number or string) or a date. Undefined
 * if it is absent, invalid, not positive or in the past.
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
/** Numbers below this (31 years) are a duration in seconds. */
const MAX_DURATION_SECONDS = 1e9
/** Numbers below this (year 5138) are seconds since 1970. */
const MAX_EPOCH_SECONDS = 1e11
/** Numbers below this (the same year) are milliseconds since 1970. */
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

/** ISO 8601 or an HTTP or email date. Other formats are rejected, because Date.parse would guess. */
function parseDate(text: string): number | undefined {
  if (!/^(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2}, \d\d? )/.test(text) || text.length > 40)
    return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant
}
