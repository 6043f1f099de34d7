import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '../config/is-loopback-host.ts'
import type { Log } from './log.ts'

/**
 * The origin that a request was sent to, from its Host header (or that of a trusted proxy) and the scheme of the public
 * URL. Undefined when the header is not a valid host.
 */
export function getRequestedUrl(
  { host }: Pick<FastifyRequest, 'host'>,
  scheme: string,
): URL | undefined {
  if (!/^[\w.:[\]-]{1,300}$/.test(host)) return undefined
  return URL.parse(`${scheme}//${host}`) ?? undefined
}

/** How the host of a request relates to the host of the public URL. */
type RequestedHost = 'public' | 'loopback' | 'other'

/**
 * `public`: the host of the public URL. `loopback`: another loopback name of the same port, while the public URL is on
 * loopback: the same service. `other`: anything else.
 */
function getRequestedHost(request: Pick<FastifyRequest, 'host'>, baseUrl: string): RequestedHost {
  const base = new URL(baseUrl)
  const url = getRequestedUrl(request, base.protocol)
  if (url?.host === base.host) return 'public'
  const isAlias =
    url?.port === base.port && isLoopbackHost(url.hostname) && isLoopbackHost(base.hostname)
  return isAlias ? 'loopback' : 'other'
}

/** The base URL that the request was sent to: another loopback name of this service, otherwise the public URL. */
export function getRequestedBaseUrl(
  request: Pick<FastifyRequest, 'host'>,
  baseUrl: string,
): string {
  if (getRequestedHost(request, baseUrl) !== 'loopback') return baseUrl
  const base = new URL(baseUrl)
  const origin = getRequestedUrl(request, base.protocol)?.origin ?? base.origin
  return baseUrl.replace(base.origin, origin)
}

/**
 * Whether a form was submitted from our own origin, by `Sec-Fetch-Site` or, in older browsers, `Origin`. A `null` origin, which
 * a no-referrer policy causes, is accepted only with `Sec-Fetch-Site`. While the public URL is on loopback, the loopback name
 * of the request counts as our origin too.
 */
export function isSameOrigin(request: FastifyRequest, baseUrl: string): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  const ownOrigins = [baseUrl, getRequestedBaseUrl(request, baseUrl)].map(
    (url) => new URL(url).origin,
  )
  const isOwnOrigin = origin !== undefined && ownOrigins.includes(origin)
  if (site === undefined) return isOwnOrigin
  return site === 'same-origin' && (isOwnOrigin || origin === undefined || origin === 'null')
}

interface PublicUrlRedirectDeps {
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  readonly log: Pick<Log, 'warn'>
  readonly now: () => number
}

/** At most one log line per hour, because clients choose the Host header. */
const LOG_EVERY_MS = 60 * 60 * 1_000

/**
 * Creates a function that returns the public URL of a page that was requested under another loopback name, because cookies
 * and the OAuth callback belong to one host. Undefined when no redirect is needed. A request with a foreign Host header is
 * logged, since its forms and cookies will not work.
 */
export function createPublicUrlRedirect({ baseUrl, log, now }: PublicUrlRedirectDeps) {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (request: FastifyRequest): string | undefined => {
    const base = baseUrl()
    const host = getRequestedHost(request, base)
    if (host === 'other') warn(request, base)
    // Fetches by the page's script would fail at another origin, and the request target may be an absolute URL.
    const isPage = request.headers['sec-fetch-dest'] !== 'empty' && request.originalUrl[0] === '/'
    return host === 'loopback' && isPage ? base + request.originalUrl : undefined
  }

  function warn(request: FastifyRequest, base: string): void {
    const timestamp = now()
    if (timestamp - loggedAt < LOG_EVERY_MS) return
    loggedAt = timestamp
    const host = getRequestedUrl(request, new URL(base).protocol)?.host.slice(0, 100)
    log.warn(
      { host, publicUrl: base },
      'a page was requested under another host than the public URL',
    )
  }
}

export type PublicUrlRedirect = ReturnType<typeof createPublicUrlRedirect>
