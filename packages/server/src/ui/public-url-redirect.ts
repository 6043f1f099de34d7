import type { FastifyRequest } from 'fastify'
import type { Log } from '../http/log.ts'
import { requestedHost, requestedUrl } from '../http/requested-host.ts'

export interface PublicUrlRedirectDeps {
  /** The public base URL, without a slash at its end. */
  readonly baseUrl: () => string
  readonly log: Pick<Log, 'warn'>
  readonly now: () => number
}

/** One line an hour: the host of a request is the sender's choice. */
const LOG_EVERY_MS = 60 * 60 * 1_000

/**
 * Makes the function that answers the public URL of a page that was requested under another loopback name: cookies and
 * the callback of a sign-in belong to one host. Undefined when the page can be shown where it is. A request under a
 * foreign host is logged, since its forms and cookies will not work.
 */
export function createPublicUrlRedirect({ baseUrl, log, now }: PublicUrlRedirectDeps) {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (request: FastifyRequest): string | undefined => {
    const base = baseUrl()
    const host = requestedHost(request, base)
    if (host === 'other') warn(request, base)
    // The page's own script would be refused at another origin, and a target may be a whole URL.
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
