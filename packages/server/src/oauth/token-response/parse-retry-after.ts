/**
 * What `Retry-After` asks for, in milliseconds (RFC 9110 section 10.2.3: seconds or a date), at most a day. Undefined
 * when it is absent, in the past or not readable.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.length > 40) return undefined
  const text = value.trim()
  const delayMs = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : parseDate(text) - now
  return delayMs > 0 ? Math.min(delayMs, DAY_MS) : undefined
}

const DAY_MS = 86_400_000

function parseDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
}
