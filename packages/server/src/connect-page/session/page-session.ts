import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie, serializeCookie } from '../../http/cookie.ts'
import { generateState, hashSecret } from '../../oauth/authorize/pkce.ts'

/** One browser at a link. Its secret of 256 random bits is stored as its SHA-256 only. */
export interface PageSession {
  /** `page`: the secret is in a cookie as well. `frame`: it is in the page alone, since frames get no cookies. */
  readonly kind: 'page' | 'frame'
  readonly secret: string
  readonly hash: Uint8Array
}

const COOKIE_NAME = 'linchpin-visit'
/** How long a browser keeps the cookie of its visit, in seconds. */
const MAX_AGE_SECONDS = 3_600
const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/
/** Tells the two kinds apart, so that a frame's secret never passes for one with a cookie. */
const FRAME_PREFIX = 'f.'

/** The visit of the hosted page, by its cookie: the one there is, or a new one. The cookie is set anew. */
export function cookieSession(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
): PageSession {
  const secret = readCookieSecret(request, baseUrl) ?? generateState()
  const cookieOptions = { seconds: MAX_AGE_SECONDS, baseUrl }
  reply.header('set-cookie', serializeCookie(COOKIE_NAME, secret, cookieOptions))
  return toSession('page', secret)
}

/** The visit of a frame, by the header that its script sends: the one there is, or a new one. */
export function frameSession(request: FastifyRequest): PageSession {
  const { 'x-linchpin-visit': header } = request.headers
  const existing = typeof header === 'string' ? parseSessionField(header) : undefined
  return existing?.kind === 'frame' ? existing : toSession('frame', generateState())
}

/** What a page carries of its visit, in another form each time: compressed answers must not give it away (BREACH). */
export function sessionField({ kind, secret }: PageSession): string {
  return `${kind === 'frame' ? FRAME_PREFIX : ''}${maskSecret(secret)}`
}

/**
 * The visit that a form belongs to. A form of the hosted page needs its cookie too; undefined when they do not belong
 * together. That the form came from a page of ours is judged elsewhere (isSameOrigin).
 */
export function sessionFromForm(
  request: FastifyRequest,
  field: string | null,
  baseUrl: string,
): PageSession | undefined {
  const session = field === null ? undefined : parseSessionField(field)
  if (session === undefined || session.kind === 'frame') return session
  const cookie = readCookieSecret(request, baseUrl)
  return cookie !== undefined && timingSafeEqual(hashSecret(cookie), session.hash)
    ? session
    : undefined
}

/** Whether a form is of a visit of the hosted page, which had a cookie once. */
export function hadCookie(field: string | null): boolean {
  return field !== null && parseSessionField(field)?.kind === 'page'
}

/** The visit of a question by the page's script: by its header or its cookie. */
export function sessionFromRequest(
  request: FastifyRequest,
  baseUrl: string,
): PageSession | undefined {
  const { 'x-linchpin-visit': header } = request.headers
  if (typeof header === 'string') return sessionFromForm(request, header, baseUrl)
  const secret = readCookieSecret(request, baseUrl)
  return secret === undefined ? undefined : toSession('page', secret)
}

/**
 * A secret for the browser that goes on to a provider, the same whenever the visit sends it there: who presses twice,
 * before the cookie of the first press has arrived, is one browser still.
 */
export function deriveBrowserSecret({ kind, secret }: PageSession): string {
  return Buffer.from(hashSecret(`sign-in ${kind} ${secret}`)).toString('base64url')
}

function parseSessionField(field: string): PageSession | undefined {
  const isFrame = field.startsWith(FRAME_PREFIX)
  const secret = unmaskSecret(isFrame ? field.slice(FRAME_PREFIX.length) : field)
  return secret === undefined ? undefined : toSession(isFrame ? 'frame' : 'page', secret)
}

/** Both kinds of one secret are two visits. */
function toSession(kind: PageSession['kind'], secret: string): PageSession {
  return { kind, secret, hash: hashSecret(kind === 'frame' ? FRAME_PREFIX + secret : secret) }
}

function readCookieSecret(request: FastifyRequest, baseUrl: string): string | undefined {
  const value = readCookie(request, COOKIE_NAME, baseUrl)
  return value !== undefined && SECRET_PATTERN.test(value) ? value : undefined
}

/** Writes 256 bits (base64url) under a fresh pad: the pad and what it hides, so the same secret never looks the same twice. */
export function maskSecret(secret: string): string {
  const pad = randomBytes(SECRET_BYTES)
  return Buffer.concat([pad, xor(pad, Buffer.from(secret, 'base64url'))]).toString('base64url')
}

/** The secret again; undefined when it is none that was written here. */
export function unmaskSecret(masked: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{86}$/.test(masked)) return undefined
  const bytes = Buffer.from(masked, 'base64url')
  return xor(bytes.subarray(0, SECRET_BYTES), bytes.subarray(SECRET_BYTES)).toString('base64url')
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)))
}

const SECRET_BYTES = 32
