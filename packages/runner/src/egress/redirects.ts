import type { EgressRequest } from './egress-types.ts'
import { getHeaderValues } from './headers.ts'

/**
 * Returns the request that follows a redirect (RFC 9110 section 15.4), or `undefined` if the response is not a
 * redirect. On another origin it carries no credentials. Its URL is not validated yet.
 */
export function redirectRequest(
  request: EgressRequest,
  from: URL,
  response: { readonly status: number; readonly rawHeaders: readonly string[] },
): EgressRequest | undefined {
  const [location] = getHeaderValues(response.rawHeaders, 'location')
  if (location === undefined || !REDIRECTS.includes(response.status)) return undefined
  const to = URL.parse(location, from.href)
  // Not a URL: validating the target reports that.
  if (!to) return { method: request.method, url: location }
  const becomesGet = isChangedToGet(response.status, request.method)
  const headers = Object.entries(request.headers ?? {}).filter(
    ([name]) =>
      !(becomesGet && /^content-/i.test(name)) &&
      !(to.origin !== from.origin && CREDENTIALS.test(name)),
  )
  return {
    method: becomesGet ? 'GET' : request.method,
    url: to.href,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : request.body,
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** Authorization, Cookie, Proxy-Authorization, and custom headers of providers: X-Api-Key, Private-Token … */
const CREDENTIALS = /auth|cookie|key|token|secret|session|password|signature/i

function isChangedToGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}
