import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../../access/auth/access-token.ts'
import { generateState } from '../../../integrations/oauth/authorize/authorization-request.ts'
import {
  isSameOrigin,
  readCookie,
  serializeCookie,
} from '../../../platform/http/browser-request.ts'
import { maskSecret, unmaskSecret } from '../../../platform/http/mask-secret.ts'
import type { ConnectSession, ConnectSessionId } from '../../connect-sessions/connect-session.ts'

/** The session of one browser at a link. Only the SHA-256 of its secret (256 random bits) is stored. */
export interface PageSession {
  /** `page`: the secret is also in a cookie. `frame`: only in the page, since frames get no cookies. */
  readonly kind: 'page' | 'frame'
  readonly secret: string
  readonly hash: Uint8Array
}

/** The cookie of a page: its name, and its lifetime in seconds. */
export interface PageCookie {
  readonly name: string
  readonly seconds: number
}

/** The cookie of the pages of links, which all links share. */
export const LINK_COOKIE: PageCookie = { name: 'linchpin-visit', seconds: 3_600 }

const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/
/** Distinguishes the two kinds, so that a frame's secret is never accepted in place of a cookie. */
const FRAME_PREFIX = 'f.'

/** Returns the session of the hosted page from its cookie, or a new one, and sets the cookie. */
export function getCookieSession(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  cookie = LINK_COOKIE,
): PageSession {
  const secret = readCookieSecret(request, baseUrl, cookie) ?? generateState()
  const { name, seconds } = cookie
  reply.header('set-cookie', serializeCookie(name, secret, { seconds, baseUrl }))
  return toSession('page', secret)
}

/** Returns the session of a frame from the header that its script sends, or a new one. */
export function frameSession(request: FastifyRequest): PageSession {
  const { 'x-linchpin-visit': header } = request.headers
  const existing = typeof header === 'string' ? parseSessionField(header) : undefined
  return existing?.kind === 'frame' ? existing : toSession('frame', generateState())
}

/** The session's secret for a page, masked differently each time: compressed responses must not leak it (BREACH). */
export function sessionField({ kind, secret }: PageSession): string {
  return `${kind === 'frame' ? FRAME_PREFIX : ''}${maskSecret(secret)}`
}

/**
 * Returns the session that a submitted form belongs to; `expired` when only the cookie of the hosted page is missing;
 * undefined for a form that another site or another browser submitted.
 */
export function getFormSession(
  request: FastifyRequest,
  form: URLSearchParams,
  baseUrl: string,
  {
    allowedKinds,
    cookie = LINK_COOKIE,
  }: { readonly allowedKinds: readonly PageSession['kind'][]; readonly cookie?: PageCookie },
): PageSession | 'expired' | undefined {
  const field = form.get('visit') ?? ''
  if (!isSameOrigin(request, baseUrl)) return undefined
  const session = getSessionFromField(request, field, baseUrl, cookie)
  if (session !== undefined) return allowedKinds.includes(session.kind) ? session : undefined
  const isOfHostedPage = parseSessionField(field)?.kind === 'page'
  return isOfHostedPage && allowedKinds.includes('page') ? 'expired' : undefined
}

/** Returns the session of a request by the page's script, from its header or cookie. */
export function getSessionFromRequest(
  request: FastifyRequest,
  baseUrl: string,
  cookie = LINK_COOKIE,
): PageSession | undefined {
  const { 'x-linchpin-visit': header } = request.headers
  if (typeof header === 'string') return getSessionFromField(request, header, baseUrl, cookie)
  const secret = readCookieSecret(request, baseUrl, cookie)
  return secret === undefined ? undefined : toSession('page', secret)
}

/**
 * Derives the secret that binds a sign-in to this browser. It is the same for every submission of the session, so that a
 * double click before the first cookie arrives still counts as one browser.
 */
export function deriveBrowserSecret({ kind, secret }: PageSession): string {
  return Buffer.from(hashSecret(`sign-in ${kind} ${secret}`)).toString('base64url')
}

/** The session of the hosted page also needs the matching cookie. */
function getSessionFromField(
  request: FastifyRequest,
  field: string,
  baseUrl: string,
  pageCookie: PageCookie,
): PageSession | undefined {
  const session = parseSessionField(field)
  if (session === undefined || session.kind === 'frame') return session
  const cookie = readCookieSecret(request, baseUrl, pageCookie)
  return cookie !== undefined && timingSafeEqual(hashSecret(cookie), session.hash)
    ? session
    : undefined
}

function parseSessionField(field: string): PageSession | undefined {
  const isFrame = field.startsWith(FRAME_PREFIX)
  const secret = unmaskSecret(isFrame ? field.slice(FRAME_PREFIX.length) : field)
  return secret === undefined ? undefined : toSession(isFrame ? 'frame' : 'page', secret)
}

/** The same secret has a different hash for each kind. */
function toSession(kind: PageSession['kind'], secret: string): PageSession {
  return { kind, secret, hash: hashSecret(kind === 'frame' ? FRAME_PREFIX + secret : secret) }
}

function readCookieSecret(
  request: FastifyRequest,
  baseUrl: string,
  { name }: PageCookie,
): string | undefined {
  const value = readCookie(request, name, baseUrl)
  return value !== undefined && SECRET_PATTERN.test(value) ? value : undefined
}

/** The cookie of a connect session, which outlives it by an hour, so that the result stays visible. */
export function getConnectCookie(
  connectSessionId: ConnectSessionId,
  secondsLeft: number,
): PageCookie {
  return { name: `linchpin-connect-${connectSessionId.slice(4)}`, seconds: secondsLeft + 3_600 }
}

/** Whether the session is bound to the browser of a page session. */
export function isBoundTo({ browserHash }: ConnectSession, { hash }: PageSession): boolean {
  return browserHash !== null && timingSafeEqual(browserHash, hash)
}
