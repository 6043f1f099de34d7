import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Authenticate } from '../../access/auth/authenticate.ts'
import { requireAdmin } from '../../access/auth/caller.ts'
import { isLoopbackHost } from '../../platform/config/is-loopback-host.ts'
import { getRequestedUrl } from '../../platform/http/get-requested-host.ts'

export interface MetricsAccessDeps {
  readonly authenticate: Authenticate
  /** LINCHPIN_METRICS_TOKEN; undefined: loopback needs no token. */
  readonly metricsToken?: string | undefined
  /** The public base URL. */
  readonly baseUrl: () => string
}

/**
 * Authorizes a request for metrics: it has LINCHPIN_METRICS_TOKEN, or an admin token that is bound to no workspace, or,
 * if LINCHPIN_METRICS_TOKEN is not set and the public URL is on loopback, comes from loopback with a loopback Host header
 * and not through a proxy.
 *
 * @throws ApiError `token_missing`, `token_invalid`, `insufficient_scope`
 */
export async function requireMetricsAccess(
  { authenticate, metricsToken, baseUrl }: MetricsAccessDeps,
  request: FastifyRequest,
): Promise<void> {
  const { authorization } = request.headers
  if (
    metricsToken === undefined
      ? isLocalRequest(request) && isLoopbackHost(new URL(baseUrl()).hostname)
      : isBearerToken(authorization, metricsToken)
  )
    return
  requireAdmin(await authenticate(authorization, request.id))
}

/** Hashes both first, so that the comparison takes constant time for any length. */
function isBearerToken(authorization: string | undefined, token: string): boolean {
  const presentedToken = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(hash('sha256', presentedToken, 'buffer'), hash('sha256', token, 'buffer'))
}

/**
 * Every request through a proxy on this machine comes from loopback, and most have a public Host or a header of the
 * proxy. By default, nginx sends neither, or passes on whatever Host a client sends: only the public URL reveals the
 * proxy.
 */
function isLocalRequest(request: FastifyRequest): boolean {
  const { headers, socket } = request
  const name = getRequestedUrl({ host: headers.host ?? '' }, 'http:')?.hostname ?? ''
  return isLoopback(socket.remoteAddress) && isLoopbackHost(name) && !isForwarded(headers)
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address ?? '')
}

function isForwarded(headers: Readonly<Record<string, unknown>>): boolean {
  const names = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']
  return names.some((name) => name in headers)
}
