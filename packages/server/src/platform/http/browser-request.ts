import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isDecodable, isLoopbackHost } from '../config/url.ts'
import { ApiError } from '../errors.ts'
import type { Log } from './log.ts'

/** The part of a request that names the host. */
type RequestHost = { readonly headers: Pick<FastifyRequest['headers'], 'host'> }

/**
 * The origin that a request was sent to, from its Host header and the scheme of the public URL. Undefined when the header is not a
 * valid host. Not from X-Forwarded-Host, which Fastify's `host` prefers: proxies that pass Host on leave that of the client alone.
 */
export function getRequestedUrl(
  { headers: { host = '' } }: RequestHost,
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
function getRequestedHost(request: RequestHost, baseUrl: string): RequestedHost {
  const base = new URL(baseUrl)
  const url = getRequestedUrl(request, base.protocol)
  if (url?.host === base.host) return 'public'
  const isAlias =
    url?.port === base.port && isLoopbackHost(url.hostname) && isLoopbackHost(base.hostname)
  return isAlias ? 'loopback' : 'other'
}

/** Whether a request was sent to the host of the public URL, or to another loopback name of the same service. */
export function isOwnHost(request: RequestHost, baseUrl: string): boolean {
  return getRequestedHost(request, baseUrl) !== 'other'
}

/** The base URL that the request was sent to: another loopback name of this service, otherwise the public URL. */
export function getRequestedBaseUrl(request: RequestHost, baseUrl: string): string {
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

/**
 * Whether a page of another origin loads this as a part of itself, such as a frame, an image or with `fetch`: anything but a link that
 * a person follows. A subdomain's requests have our cookies, and though it cannot read a response, it can measure how long it takes.
 * Forms are not meant: `isSameOrigin` refuses those.
 */
export function isForeignPart(request: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers
  const isLink = mode === 'navigate' && dest === 'document'
  return request.method !== 'POST' && isFromForeignPage(request) && !isLink
}

/** Whether a page of another origin is why the browser sent a request, by `Sec-Fetch-Site`. */
export function isFromForeignPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return ['same-site', 'cross-site'].includes(headers['sec-fetch-site'] ?? '')
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

/**
 * The value of a cookie of this service; undefined when the request has none or several of that name. `trim` would also remove
 * spaces of Unicode, and with one of those before it, another subdomain could set a cookie whose name has the `__Host-` prefix.
 */
export function readCookie(
  { headers }: FastifyRequest,
  name: string,
  baseUrl: string,
): string | undefined {
  const cookieName = getPrefixedName(name, baseUrl)
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, '').split('='))
    .filter(([key]) => key === cookieName)
    .map(([, value]) => value ?? '')
  return values.length === 1 ? values[0] : undefined
}

/** A `Set-Cookie` value. The browser sends the cookie to this host only, and not with cross-site subrequests. */
export function serializeCookie(
  name: string,
  value: string,
  { seconds, baseUrl }: { readonly seconds: number; readonly baseUrl: string },
): string {
  const secure = isHttps(baseUrl) ? '; Secure' : ''
  return `${getPrefixedName(name, baseUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** With the `__Host-` prefix, browsers accept the cookie only from this exact host, over https. */
function getPrefixedName(name: string, baseUrl: string): string {
  return isHttps(baseUrl) ? `__Host-${name}` : name
}

function isHttps(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}

/**
 * Parses URL-encoded forms to URLSearchParams. A form whose percent-encoding is invalid is an error: browsers send none, the
 * values would be changed, and the parser takes 5 µs for each of them. So is a form with more than 5,000 fields: the time of the
 * parser grows with the square of their number, and a million would stop the service for 15 seconds.
 *
 * @param bodyLimit bytes. Default: that of other bodies
 * @throws ApiError `malformed_request`
 */
export function acceptForms(app: FastifyInstance, bodyLimit?: number): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', ...(bodyLimit === undefined ? {} : { bodyLimit }) },
    (_request, body, done) => {
      const text = String(body)
      if (hasTooManyFields(text)) done(createTooManyFieldsError(), undefined)
      else if (isDecodable(text)) done(null, new URLSearchParams(text))
      else done(new ApiError('malformed_request', 'The form must be URL-encoded UTF-8.'), undefined)
    },
  )
}

/** More than the choices of the largest form. */
export const MAX_FORM_FIELDS = 5_000

function hasTooManyFields(text: string): boolean {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++count > MAX_FORM_FIELDS) return true
  return false
}

/** What a form with more than `MAX_FORM_FIELDS` gets. */
export function createTooManyFieldsError(): ApiError {
  return new ApiError('malformed_request', 'The form has too many fields.')
}

/** The form of a request; empty if it has none. */
export function getForm({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

/** The query of a request as it was sent, without the question mark. */
export function getRawQuery({ originalUrl }: FastifyRequest): string {
  const queryStart = originalUrl.indexOf('?')
  return queryStart === -1 ? '' : originalUrl.slice(queryStart + 1)
}

/** The parameters of the raw query, because the parser of the API rejects some URLs of old embeds. */
export function getSearchParams(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(getRawQuery(request))
}
