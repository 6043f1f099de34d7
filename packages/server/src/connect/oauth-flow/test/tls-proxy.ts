import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSelfSignedCert } from './create-self-signed-cert.ts'

/** A reverse proxy that terminates TLS in front of the service. */
export interface TlsProxy {
  /** `https://localhost:port` */
  readonly url: string
  /** The certificate as PEM, for clients that trust the proxy. */
  readonly cert: string
  /** Where it passes requests on to, such as `http://127.0.0.1:3000`. */
  target: string
  close(): Promise<void>
}

/** Starts a proxy on 127.0.0.1 with a self-signed certificate. It sends the usual forwarding headers. */
export async function startTlsProxy(): Promise<TlsProxy> {
  const { key, cert } = createSelfSignedCert()
  const proxy = { target: '' }
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const headers = {
      ...incoming.headers,
      'x-forwarded-for': incoming.socket.remoteAddress,
      'x-forwarded-host': incoming.headers.host,
      'x-forwarded-proto': 'https',
    }
    const { method, url } = incoming
    const upstreamRequest = request(proxy.target + url, { method, headers }, (upstreamResponse) => {
      outgoing.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
      upstreamResponse.pipe(outgoing)
    })
    upstreamRequest.on('error', () => outgoing.destroy())
    incoming.pipe(upstreamRequest)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    cert,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}
