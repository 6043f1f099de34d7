import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../../access/auth/hash-secret.ts'
import { generateState } from '../../../integrations/oauth/authorize/pkce.ts'
import { readCookie, serializeCookie } from '../../../platform/http/cookie.ts'

/**
 * Holds the secret that binds sessions to a browser (quality T9). All sessions of a browser share one cookie, so that
 * two tabs do not invalidate each other's session.
 */
const COOKIE = 'linchpin-oauth'
const MAX_AGE_SECONDS = 600
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Reads the browser's secret; undefined when the request has no such cookie, an invalid one or several. */
export function readBrowserSecret(request: FastifyRequest, baseUrl: string): string | undefined {
  return parseSecret(readCookie(request, COOKIE, baseUrl))
}

function parseSecret(value: unknown): string | undefined {
  return typeof value === 'string' && SECRET.test(value) ? value : undefined
}

/**
 * Returns the secret of the browser's cookie, else the secret that the page proposed in its form, else a new one. The
 * proposed secret makes a double click one browser, although the cookie of the first click has not arrived yet.
 */
export function chooseBrowserSecret(
  request: FastifyRequest,
  baseUrl: string,
  proposed?: unknown,
): string {
  return readBrowserSecret(request, baseUrl) ?? parseSecret(proposed) ?? generateState()
}

/** Sets the cookie with the browser's secret, or extends it by another ten minutes. */
export function setBrowserSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  proposed?: string,
): string {
  const secret = chooseBrowserSecret(request, baseUrl, proposed)
  const cookieOptions = { seconds: MAX_AGE_SECONDS, baseUrl }
  reply.header('set-cookie', serializeCookie(COOKIE, secret, cookieOptions))
  return secret
}

/** Whether the secret belongs to the browser that the session is bound to. Compares in constant time. */
export function isSameBrowser(secret: string | undefined, browserHash: Uint8Array | null): boolean {
  return (
    secret !== undefined && browserHash !== null && timingSafeEqual(hashSecret(secret), browserHash)
  )
}

/**
 * Derives the confirmation token of a session from the 256-bit secret of its browser. Deriving it means that the same
 * browser can receive it again after a reload or a lost response, although only its hash is stored.
 */
export function deriveConfirmToken(browserSecret: string, sessionId: string): string {
  return createHmac('sha256', browserSecret).update(`confirm ${sessionId}`).digest('base64url')
}
