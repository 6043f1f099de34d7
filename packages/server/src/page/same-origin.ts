import type { FastifyRequest } from 'fastify'
import { requestedBaseUrl } from '../http/requested-host.ts'

/**
 * Whether a form was sent by a page of ours. Browsers say so in `Sec-Fetch-Site`; older ones in `Origin`, which is
 * `null` under a no-referrer policy and then counts only beside the first. While the public URL is on loopback, another
 * loopback name under which the form came is ours too.
 */
export function isSameOrigin(request: FastifyRequest, baseUrl: string): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  const ours = [baseUrl, requestedBaseUrl(request, baseUrl)].map((url) => new URL(url).origin)
  const fromUs = origin !== undefined && ours.includes(origin)
  if (site === undefined) return fromUs
  return site === 'same-origin' && (fromUs || origin === undefined || origin === 'null')
}
