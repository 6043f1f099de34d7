import { getHeader, type RateLimitHeaders, type Spec } from '@linchpin/runner'

/** A response, as far as rate limits are concerned. `rawHeaders`: flat list of names and values, as received. */
interface LimitedResponse {
  readonly status: number
  readonly rawHeaders: readonly string[]
}

/**
 * The response with `Retry-After` (RFC 9110 section 10.2.3) when the provider refuses requests for some time and says so in a
 * header of its own (`x-rate-limit`): clients know the standard one.
 *
 * @param now milliseconds since 1970
 */
export function addRetryAfter<T extends LimitedResponse>(response: T, spec: Spec, now: number): T {
  const { status, rawHeaders } = response
  // Older stored specs were not validated.
  const declared: Partial<RateLimitHeaders> = Object(spec['x-rate-limit'])
  if (!STATUSES.has(status) || typeof declared.reset !== 'string') return response
  if (getHeader(rawHeaders, 'retry-after') !== undefined) return response
  const text = getHeader(rawHeaders, declared.reset.toLowerCase())?.trim() ?? ''
  if (!/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return response
  const reset = Number(text)
  const seconds = Math.ceil(declared.unit === 'epoch' ? reset - now / 1_000 : reset)
  if (seconds > MAX_SECONDS) return response
  return { ...response, rawHeaders: [...rawHeaders, 'retry-after', String(Math.max(1, seconds))] }
}

const STATUSES: ReadonlySet<number> = new Set([429, 503])

/** A longer time is more likely another unit than a limit. */
const MAX_SECONDS = 31 * 24 * 3_600
