import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Logs a warning once, at the first forwarded header that is ignored: the addresses of clients behind that proxy are
 * unknown, so these clients share every per-address limit.
 *
 * @returns whether a request may bypass this, because its headers cannot cause the warning
 */
export function warnAboutUntrustedProxy(
  app: FastifyInstance,
): (request: IncomingMessage) => boolean {
  let hasWarned = false
  /** Connections of trusted proxies. */
  const trustedSockets = new WeakSet<Socket>()
  app.addHook('onRequest', (request, _reply, done) => {
    const header = hasWarned ? undefined : findIgnoredHeader(request)
    if (header !== undefined) {
      hasWarned = true
      request.log.warn({ proxy: request.socket.remoteAddress, header }, WARNING)
    } else if (request.headers['x-forwarded-for'] !== undefined) {
      trustedSockets.add(request.socket)
    }
    done()
  })
  return ({ headers, socket }) =>
    hasWarned ||
    (headers['x-forwarded-for'] === undefined
      ? headers.forwarded === undefined
      : trustedSockets.has(socket))
}

const WARNING =
  'ignoring a forwarded header of an untrusted proxy, so all its clients share one address: add the proxy to LINCHPIN_TRUST_PROXY and send X-Forwarded-For'

/** `ips` has more entries than the socket's address if that is a trusted proxy. Only X-Forwarded-For is read. */
function findIgnoredHeader({ headers, ips }: FastifyRequest): string | undefined {
  if (headers['x-forwarded-for'] !== undefined)
    return (ips?.length ?? 1) > 1 ? undefined : 'x-forwarded-for'
  return headers.forwarded === undefined ? undefined : 'forwarded'
}
