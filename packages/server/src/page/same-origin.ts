import type { FastifyRequest } from 'fastify'

/**
 * Whether a form was sent by a page of ours. Browsers say so in `Sec-Fetch-Site`; older ones in `Origin`, which is
 * `null` under a no-referrer policy and then counts only beside the first.
 */
export function isSameOrigin({ headers }: FastifyRequest, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  const fromUs = origin === new URL(baseUrl).origin
  if (site === undefined) return fromUs
  return site === 'same-origin' && (fromUs || origin === undefined || origin === 'null')
}
