import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieLine, readCookie } from '../../http/cookie.ts'
import { hashSecret, newState } from '../../oauth/authorize/random.ts'
import { maskSecret, unmaskSecret } from './mask.ts'

/** One browser at a link. Its secret of 256 random bits is stored as its SHA-256 only. */
export interface Visit {
  /** `page`: the secret is in a cookie as well. `frame`: it is in the page alone, since frames get no cookies. */
  readonly kind: 'page' | 'frame'
  readonly secret: string
  readonly hash: Uint8Array
}

const COOKIE = 'linchpin-visit'
/** How long a browser keeps the cookie of its visit, in seconds. */
const MAX_AGE_SECONDS = 3_600
const SECRET = /^[A-Za-z0-9_-]{43}$/
/** Tells the two kinds apart, so that a frame's secret never passes for one with a cookie. */
const FRAME = 'f.'

/** The visit of the hosted page, by its cookie: the one there is, or a new one. The cookie is set anew. */
export function pageVisit(request: FastifyRequest, reply: FastifyReply, baseUrl: string): Visit {
  const secret = cookieSecret(request, baseUrl) ?? newState()
  const life = { seconds: MAX_AGE_SECONDS, baseUrl }
  reply.header('set-cookie', cookieLine(COOKIE, secret, life))
  return toVisit('page', secret)
}

/** The visit of a frame, by the header that its script sends: the one there is, or a new one. */
export function frameVisit(request: FastifyRequest): Visit {
  const { 'x-linchpin-visit': sent } = request.headers
  const known = typeof sent === 'string' ? readField(sent) : undefined
  return known?.kind === 'frame' ? known : toVisit('frame', newState())
}

/** What a page carries of its visit, in another form each time: compressed answers must not give it away (BREACH). */
export function visitField({ kind, secret }: Visit): string {
  return `${kind === 'frame' ? FRAME : ''}${maskSecret(secret)}`
}

/**
 * The visit that a form belongs to. A form of the hosted page needs its cookie too; undefined when they do not belong
 * together. That the form came from a page of ours is judged elsewhere (isSameOrigin).
 */
export function formVisit(
  request: FastifyRequest,
  field: string | null,
  baseUrl: string,
): Visit | undefined {
  const visit = field === null ? undefined : readField(field)
  if (visit === undefined || visit.kind === 'frame') return visit
  const cookie = cookieSecret(request, baseUrl)
  return cookie !== undefined && timingSafeEqual(hashSecret(cookie), visit.hash) ? visit : undefined
}

/** Whether a form is of a visit of the hosted page, which had a cookie once. */
export function hadCookie(field: string | null): boolean {
  return field !== null && readField(field)?.kind === 'page'
}

/** The visit of a question by the page's script: by its header or its cookie. */
export function askingVisit(request: FastifyRequest, baseUrl: string): Visit | undefined {
  const { 'x-linchpin-visit': sent } = request.headers
  if (typeof sent === 'string') return formVisit(request, sent, baseUrl)
  const secret = cookieSecret(request, baseUrl)
  return secret === undefined ? undefined : toVisit('page', secret)
}

/**
 * A secret for the browser that goes on to a provider, the same whenever the visit sends it there: who presses twice,
 * before the cookie of the first press has arrived, is one browser still.
 */
export function browserSecretOf({ kind, secret }: Visit): string {
  return Buffer.from(hashSecret(`sign-in ${kind} ${secret}`)).toString('base64url')
}

function readField(field: string): Visit | undefined {
  const isFrame = field.startsWith(FRAME)
  const secret = unmaskSecret(isFrame ? field.slice(FRAME.length) : field)
  return secret === undefined ? undefined : toVisit(isFrame ? 'frame' : 'page', secret)
}

/** Both kinds of one secret are two visits. */
function toVisit(kind: Visit['kind'], secret: string): Visit {
  return { kind, secret, hash: hashSecret(kind === 'frame' ? FRAME + secret : secret) }
}

function cookieSecret(request: FastifyRequest, baseUrl: string): string | undefined {
  const value = readCookie(request, COOKIE, baseUrl)
  return value !== undefined && SECRET.test(value) ? value : undefined
}
