import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '../config/is-loopback-host.ts'

/**
 * The origin that a request was sent to, from its Host header (or that of a trusted proxy) and the scheme of the public
 * URL. Undefined when the header is not a valid host.
 */
export function requestedUrl(
  { host }: Pick<FastifyRequest, 'host'>,
  scheme: string,
): URL | undefined {
  if (!/^[\w.:[\]-]{1,300}$/.test(host)) return undefined
  return URL.parse(`${scheme}//${host}`) ?? undefined
}

/** How the host of a request relates to the host of the public URL. */
export type RequestedHost = 'public' | 'loopback' | 'other'

/**
 * `public`: the host of the public URL. `loopback`: another loopback name of the same port, while the public URL is on
 * loopback: the same service. `other`: anything else.
 */
export function requestedHost(
  request: Pick<FastifyRequest, 'host'>,
  baseUrl: string,
): RequestedHost {
  const base = new URL(baseUrl)
  const url = requestedUrl(request, base.protocol)
  if (url?.host === base.host) return 'public'
  const isAlias =
    url?.port === base.port && isLoopbackHost(url.hostname) && isLoopbackHost(base.hostname)
  return isAlias ? 'loopback' : 'other'
}

/** The base URL that the request was sent to: another loopback name of this service, otherwise the public URL. */
export function requestedBaseUrl(request: Pick<FastifyRequest, 'host'>, baseUrl: string): string {
  if (requestedHost(request, baseUrl) !== 'loopback') return baseUrl
  const base = new URL(baseUrl)
  const origin = requestedUrl(request, base.protocol)?.origin ?? base.origin
  return baseUrl.replace(base.origin, origin)
}
