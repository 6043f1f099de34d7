import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Warns once, at the first forwarded header that does not count: the addresses of visitors behind that proxy are
 * unknown, so they share every limit that goes by address.
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
  'a forwarded header is ignored, so all visitors behind this proxy share one address: add the proxy to LINCHPIN_TRUST_PROXY and send X-Forwarded-For'

/** `ips` has more than the address of the socket when that is a trusted proxy's. Only X-Forwarded-For is read. */
function findIgnoredHeader({ headers, ips }: FastifyRequest): string | undefined {
  if (headers['x-forwarded-for'] !== undefined)
    return (ips?.length ?? 1) > 1 ? undefined : 'x-forwarded-for'
  return headers.forwarded === undefined ? undefined : 'forwarded'
}
