import type { IncomingMessage } from 'node:http'
import { startLocalServer } from './local-server.ts'
import { type Reply, reply } from './reply.ts'

/** One request as the provider would see it. */
export interface ReceivedRequest {
  readonly method: string
  /** The URL that the bundle requested. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A real HTTP server on the loopback that responds for every provider. */
export interface FakeProvider {
  readonly port: number
  /** Sets the responses from now on and clears the recorded requests. */
  respondWith(handler: (request: ReceivedRequest) => Reply): void
  /** The requests recorded since then. */
  readonly requests: readonly ReceivedRequest[]
  close(): void
}

/** The header with the original URL of a request, set by the egress gateway. */
export const ORIGINAL_URL_HEADER = 'x-linchpin-meant-for'

/** Starts the fake provider on a free port of 127.0.0.1. */
export async function startFakeProvider(): Promise<FakeProvider> {
  let requests: ReceivedRequest[] = []
  let handler: (request: ReceivedRequest) => Reply = () => reply(404)
  const server = await startLocalServer(async (request, response) => {
    const received = await read(request)
    requests.push(received)
    const { status, body, headers } = handler(received)
    if (status === 0) return void request.socket.destroy()
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return {
    port: Number(new URL(server.origin).port),
    respondWith(newHandler) {
      requests = []
      handler = newHandler
    },
    get requests() {
      return requests
    },
    close: server.close,
  }
}

async function read(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { [ORIGINAL_URL_HEADER]: originalUrl, ...headers } = request.headers
  const url = new URL(String(originalUrl))
  return { method: request.method ?? '', url, headers, body: Buffer.concat(chunks).toString() }
}
