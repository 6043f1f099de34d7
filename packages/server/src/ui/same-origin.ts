import type { FastifyRequest } from 'fastify'
import { requestedBaseUrl } from '../http/requested-host.ts'

/**
 * Whether a form was sent by a page of ours. Browsers say so in `Sec-Fetch-Site`; older ones in `Origin`, which is
 * `null` under a no-referrer policy and then counts only beside the first. While the public URL is on loopback, another
 * loopback name under which the form came is ours too.
 */
export function isSameOrigin(request: FastifyRequest, baseUrl: string): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  const ownOrigins = [baseUrl, requestedBaseUrl(request, baseUrl)].map((url) => new URL(url).origin)
  const isOwnOrigin = origin !== undefined && ownOrigins.includes(origin)
  if (site === undefined) return isOwnOrigin
  return site === 'same-origin' && (isOwnOrigin || origin === undefined || origin === 'null')
}
