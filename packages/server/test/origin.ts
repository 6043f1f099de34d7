import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A real HTTP server on 127.0.0.1 that serves bundles and plays the provider behind them. */
export interface Origin {
  readonly url: string
  /** `127.0.0.1:port`, as LINCHPIN_EGRESS_ALLOW takes it. */
  readonly host: string
  /** Requests so far, `GET /path?query`. Empty it with `length = 0`. */
  readonly requests: string[]
  /** Answers this path from now on; answers its URL. */
  serve(path: string, answer: Serve): string
  /** Serves a bundle under a path of its own; answers its URL. */
  bundle(code: string | Buffer): string
  close(): Promise<void>
}

export type Serve = (request: IncomingMessage, response: ServerResponse) => unknown

/** Starts one; everything that was not served is 404. */
export async function startOrigin(): Promise<Origin> {
  const paths = new Map<string, Serve>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const answer = paths.get((request.url ?? '').split('?', 1)[0] ?? '')
    if (answer === undefined) response.writeHead(404).end('nothing here')
    else answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${host}`
  let count = 0
  const serve = (path: string, answer: Serve) => {
    paths.set(path, answer)
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
