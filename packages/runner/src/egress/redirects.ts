import type { GateRequest } from './gate-types.ts'
import { headerValues } from './headers.ts'

/**
 * The request that follows a redirect (RFC 9110 section 15.4), or `undefined` when the answer is none. On another
 * origin it carries no credentials. Its URL is not judged yet.
 */
export function redirected(
  request: GateRequest,
  from: URL,
  answer: { readonly status: number; readonly rawHeaders: readonly string[] },
): GateRequest | undefined {
  const [location] = headerValues(answer.rawHeaders, 'location')
  if (location === undefined || !REDIRECTS.includes(answer.status)) return undefined
  const to = URL.parse(location, from.href)
  // Not a URL: the judgement says so in its own words.
  if (!to) return { method: request.method, url: location }
  const becomesGet = turnsIntoGet(answer.status, request.method)
  const kept = Object.entries(request.headers ?? {}).filter(
    ([name]) =>
      !(becomesGet && /^content-/i.test(name)) &&
      !(to.origin !== from.origin && CREDENTIALS.test(name)),
  )
  return {
    method: becomesGet ? 'GET' : request.method,
    url: to.href,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : request.body,
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** Authorization, Cookie, Proxy-Authorization, and what providers invent: X-Api-Key, Private-Token … */
const CREDENTIALS = /auth|cookie|key|token|secret|session|password|signature/i

function turnsIntoGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}
