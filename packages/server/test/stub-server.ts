import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on 127.0.0.1 that serves bundles and stands in for their provider. */
export interface StubServer {
  readonly url: string
  /** `127.0.0.1:port`, for LINCHPIN_EGRESS_ALLOW. */
  readonly host: string
  /** Requests so far, `GET /path?query`. Empty it with `length = 0`. */
  readonly requests: string[]
  /** Serves this path from now on; returns its URL. */
  serve(path: string, handler: StubHandler): string
  /** Serves a bundle under a new path; returns its URL. */
  bundle(code: string | Buffer): string
  close(): Promise<void>
}

export type StubHandler = (request: IncomingMessage, response: ServerResponse) => unknown

/** Starts a stub server. Paths that are not served are 404. */
export async function startStubServer(): Promise<StubServer> {
  const handlers = new Map<string, StubHandler>()
  const requests: string[] = []
  // Node's default of 16 kB is less than some tokens need.
  const server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const handler = handlers.get((request.url ?? '').split('?', 1)[0] ?? '')
    if (handler === undefined) response.writeHead(404).end('nothing here')
    else handler(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${host}`
  let count = 0
  const serve = (path: string, handler: StubHandler) => {
    handlers.set(path, handler)
    return url + path
  }
  return {
    url,
    host,
    requests,
    serve,
    bundle: (code) => serve(`/bundles/${++count}.js`, (_request, response) => response.end(code)),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
