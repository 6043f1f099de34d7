import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createBooksRoutes } from './books.ts'
import { createDeskRoutes } from './desk.ts'
import type { ExampleRequest, ExampleResponse, Route } from './route.ts'
import { sendResponse } from './send-response.ts'

/** A small HTTP server that acts as the provider of the example integrations. */
export interface Provider {
  /** Its base URL, such as `http://127.0.0.1:4010`. Throws before `listen`. */
  readonly url: string
  /** The last 1,000 requests, oldest first, with headers. Clear it with `requests.length = 0`. */
  readonly requests: RecordedRequest[]
  /** Starts listening and resolves to `url`. Port 0 selects a free port. */
  listen(port?: number, host?: string): Promise<string>
  /** Stops at once: closes open connections and abandons pending responses. */
  close(): Promise<void>
}

/** One received request. */
export interface RecordedRequest extends Omit<ExampleRequest, 'signal' | 'query'> {
  /** Path with query. */
  readonly url: string
}

/** The options of a provider. */
export interface ProviderOptions {
  /** Receives one line per response: method, path and status, never a header or a body. */
  readonly log?: (line: string) => void
  /** Additional routes, such as the bundles. */
  readonly routes?: readonly Route[]
  /** The delay for `desk_slow…` keys, in milliseconds. Default: 20,000. */
  readonly slowMs?: number
  /** The clock for codes and tokens, in epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** The largest accepted request body, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024
const MAX_RECORDED = 1_000

/** Creates a provider: Acme Desk (`desk.ts`), Acme Books (`books.ts`) and additional routes. */
export function createProvider(options: ProviderOptions = {}): Provider {
  const closing = new AbortController()
  const requests: RecordedRequest[] = []
  const delay = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal })
  const desk = createDeskRoutes({ delay, slowMs: options.slowMs ?? 20_000 })
  const routes = [...desk, ...createBooksRoutes(options.now), ...(options.routes ?? [])]
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
      if (!address) throw new Error('The provider is not listening: call listen() first.')
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
