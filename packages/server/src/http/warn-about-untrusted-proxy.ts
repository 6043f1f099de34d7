import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Logs a warning once, at the first forwarded header that is ignored: the addresses of clients behind that proxy are
 * unknown, so these clients share every per-address limit.
 */
export function warnAboutUntrustedProxy(app: FastifyInstance): void {
  let hasWarned = false
  app.addHook('onRequest', (request, _reply, done) => {
    const header = hasWarned ? undefined : findIgnoredHeader(request)
    if (header !== undefined) {
      hasWarned = true
      request.log.warn({ proxy: request.socket.remoteAddress, header }, WARNING)
    }
    done()
  })
}

const WARNING =
  'ignoring a forwarded header of an untrusted proxy, so all its clients share one address: add the proxy to LINCHPIN_TRUST_PROXY and send X-Forwarded-For'

/** `ips` has more entries than the socket's address if that is a trusted proxy. Only X-Forwarded-For is read. */
function findIgnoredHeader({ headers, ips }: FastifyRequest): string | undefined {
  if (headers['x-forwarded-for'] !== undefined)
    return (ips?.length ?? 1) > 1 ? undefined : 'x-forwarded-for'
  return headers.forwarded === undefined ? undefined : 'forwarded'
}
