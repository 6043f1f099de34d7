import type { FastifyRequest } from 'fastify'
import type { Log } from '../http/log.ts'
import { requestedHost, requestedUrl } from '../http/requested-host.ts'

export interface PublicUrlRedirectDeps {
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
    const host = requestedHost(request, base)
    if (host === 'other') warn(request, base)
    // Fetches by the page's script would fail at another origin, and the request target may be an absolute URL.
    const isPage = request.headers['sec-fetch-dest'] !== 'empty' && request.originalUrl[0] === '/'
    return host === 'loopback' && isPage ? base + request.originalUrl : undefined
  }

  function warn(request: FastifyRequest, base: string): void {
    const timestamp = now()
    if (timestamp - loggedAt < LOG_EVERY_MS) return
    loggedAt = timestamp
    const host = requestedUrl(request, new URL(base).protocol)?.host.slice(0, 100)
    log.warn(
      { host, publicUrl: base },
      'a page was requested under another host than the public URL',
    )
  }
}

export type PublicUrlRedirect = ReturnType<typeof createPublicUrlRedirect>
