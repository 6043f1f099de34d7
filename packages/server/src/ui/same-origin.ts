import type { FastifyRequest } from 'fastify'
import { requestedBaseUrl } from '../http/requested-host.ts'

/**
 * Whether a form was submitted from our own origin, by `Sec-Fetch-Site` or, in older browsers, `Origin`. A `null` origin, which
 * a no-referrer policy causes, is accepted only with `Sec-Fetch-Site`. While the public URL is on loopback, the loopback name
 * of the request counts as our origin too.
 */
export function isSameOrigin(request: FastifyRequest, baseUrl: string): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  const ownOrigins = [baseUrl, requestedBaseUrl(request, baseUrl)].map((url) => new URL(url).origin)
  const isOwnOrigin = origin !== undefined && ownOrigins.includes(origin)
  if (site === undefined) return isOwnOrigin
  return site === 'same-origin' && (isOwnOrigin || origin === undefined || origin === 'null')
}
