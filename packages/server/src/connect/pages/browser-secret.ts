import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret, newState } from '../../oauth/authorize/random.ts'

/**
 * The secret that binds attempts to one browser (quality T9). One cookie serves all attempts of a browser, so that two
 * tabs do not take each other's.
 */
const MAX_AGE_SECONDS = 600
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** The secret that a browser brings; undefined when it brings none, or several. */
export function readBrowserSecret(request: FastifyRequest, baseUrl: string): string | undefined {
  const name = cookieName(baseUrl)
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([key]) => key === name)
    .map(([, value]) => value ?? '')
  const [value] = found
  return found.length === 1 && value !== undefined && SECRET.test(value) ? value : undefined
}

/** Gives the browser a secret, or keeps the one it has for another ten minutes. */
export function keepBrowserSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
): string {
  const secret = readBrowserSecret(request, baseUrl) ?? newState()
  const secure = isHttps(baseUrl) ? '; Secure' : ''
  reply.header(
    'set-cookie',
    `${cookieName(baseUrl)}=${secret}; Max-Age=${MAX_AGE_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`,
  )
  return secret
}

/** Whether the browser is the one that the attempt was bound to. */
export function isSameBrowser(secret: string | undefined, browserHash: Uint8Array | null): boolean {
  return (
    secret !== undefined && browserHash !== null && timingSafeEqual(hashSecret(secret), browserHash)
  )
}

/** The prefix makes browsers refuse the cookie from anywhere but this very host, over https. */
function cookieName(baseUrl: string): string {
  return isHttps(baseUrl) ? '__Host-linchpin-oauth' : 'linchpin-oauth'
}

function isHttps(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}
