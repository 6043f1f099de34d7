import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { booksRoutes } from './books.ts'
import { deskRoutes } from './desk.ts'
import type { ExampleRequest, ExampleResponse, Route } from './route.ts'
import { sendResponse } from './send-response.ts'

/** A small provider on this machine that speaks real HTTP: the other end of the example integrations. */
export interface Provider {
  /** Where it listens, such as `http://127.0.0.1:4010`. Throws before `listen`. */
  readonly url: string
  /** The last 1,000 requests, oldest first, header values included. Empty it with `requests.length = 0`. */
  readonly requests: RecordedRequest[]
  /** Starts listening and resolves to `url`. Port 0 takes a free one. */
  listen(port?: number, host?: string): Promise<string>
  /** Stops at once: open connections are cut and waiting answers given up. */
  close(): Promise<void>
}

/** One request as it arrived. */
export interface RecordedRequest extends Omit<ExampleRequest, 'signal' | 'query'> {
  /** Path with query. */
  readonly url: string
}

/** What can be changed about a provider. */
export interface ProviderOptions {
  /** Receives one line per answer: method, path and status, never a header or a body. */
  readonly log?: (line: string) => void
  /** Paths served besides the provider's own, such as the bundles. */
  readonly routes?: readonly Route[]
  /** How long `desk_slow…` keys wait, in milliseconds. Default: 20,000. */
  readonly slowMs?: number
  /** Epoch milliseconds, by which codes and tokens end. Default: the machine's clock. */
  readonly now?: () => number
}

/** Largest request body that is read, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024
const MAX_RECORDED = 1_000

/** Makes a provider: Acme Desk (`desk.ts`), Acme Books (`books.ts`) and the caller's own routes. */
export function createProvider(options: ProviderOptions = {}): Provider {
  const closing = new AbortController()
  const requests: RecordedRequest[] = []
  const delay = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal })
  const desk = deskRoutes({ delay, slowMs: options.slowMs ?? 20_000 })
  const routes = [...desk, ...booksRoutes(options.now), ...(options.routes ?? [])]
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exampleRequest = await readRequest(request, response, closing.signal)
    requests.push(toRecordedRequest(exampleRequest, request.url ?? ''))
    if (requests.length > MAX_RECORDED) requests.shift()
    const result = await handleRequest(routes, exampleRequest)
    sendResponse(response, result, exampleRequest.headers['accept-encoding'])
    options.log?.(`${exampleRequest.method} ${exampleRequest.path} ${result.status}`)
  }

  return {
    requests,
    get url() {
      const address = server.address() as AddressInfo | null
      if (!address) throw new Error('The provider does not listen yet: call listen() first.')
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
      return `http://${host}:${address.port}`
    },
    listen(port = 0, host = '127.0.0.1') {
      return new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => resolve(this.url))
      })
    },
    close() {
      closing.abort()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function handleRequest(
  routes: readonly Route[],
  exampleRequest: ExampleRequest,
): Promise<ExampleResponse> {
  const matching = routes.filter((route) => route.path.test(exampleRequest.path))
  if (matching.length === 0) return { status: 404, body: { error: 'not_found' } }
  const method = exampleRequest.method === 'HEAD' ? 'GET' : exampleRequest.method
  const route = matching.find((candidate) => candidate.method === method)
  return route
    ? route.handle(exampleRequest)
    : { status: 405, body: { error: 'method_not_allowed' } }
}

async function readRequest(
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<ExampleRequest> {
  const disconnect = new AbortController()
  response.once('close', () => disconnect.abort())
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('The request body is too large.')
    chunks.push(chunk)
  }
  const url = new URL(request.url ?? '/', 'http://provider')
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    body: Buffer.concat(chunks).toString('utf8'),
    signal: AbortSignal.any([closing, disconnect.signal]),
  }
}

function toRecordedRequest(
  { method, path, headers, body }: ExampleRequest,
  url: string,
): RecordedRequest {
  return { method, path, url, headers, body }
}
