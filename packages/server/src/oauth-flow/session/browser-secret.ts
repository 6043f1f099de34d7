import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie, serializeCookie } from '../../http/cookie.ts'
import { generateState, hashSecret } from '../../oauth/authorize/pkce.ts'

/**
 * The secret that binds attempts to one browser (quality T9). One cookie serves all attempts of a browser, so that two
 * tabs do not take each other's.
 */
const COOKIE = 'linchpin-oauth'
const MAX_AGE_SECONDS = 600
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** The secret that a browser brings; undefined when it brings none, or several. */
export function readBrowserSecret(request: FastifyRequest, baseUrl: string): string | undefined {
  return parseSecret(readCookie(request, COOKIE, baseUrl))
}

function parseSecret(value: unknown): string | undefined {
  return typeof value === 'string' && SECRET.test(value) ? value : undefined
}

/**
 * The secret that a browser brings, else the one that a page of ours proposed to it: who presses twice, before the cookie
 * of the first press has arrived, is one browser still. Else a new one.
 */
export function chooseBrowserSecret(
  request: FastifyRequest,
  baseUrl: string,
  proposed?: unknown,
): string {
  return readBrowserSecret(request, baseUrl) ?? parseSecret(proposed) ?? generateState()
}

/** Gives the browser its secret, or keeps the one it has for another ten minutes. */
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

/** Whether the browser is the one that the attempt was bound to. */
export function isSameBrowser(secret: string | undefined, browserHash: Uint8Array | null): boolean {
  return (
    secret !== undefined && browserHash !== null && timingSafeEqual(hashSecret(secret), browserHash)
  )
}
