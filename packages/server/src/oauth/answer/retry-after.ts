/**
 * What `Retry-After` asks for, in milliseconds (RFC 9110 section 10.2.3: seconds or a date), at most a day. Undefined
 * when it is absent, in the past or not readable.
 */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.length > 40) return undefined
  const text = value.trim()
  const wait = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : readDate(text) - now
  return wait > 0 ? Math.min(wait, A_DAY) : undefined
}

const A_DAY = 86_400_000

function readDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
}
