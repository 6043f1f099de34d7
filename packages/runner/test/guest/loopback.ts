import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { unzipSync } from 'node:zlib'
import type { GuestResponse, Responder } from './guest-harness.ts'

export interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Loopback {
  readonly origin: string
  /** Requests since the last call, except those to `/slow`: a client that aborts may not have sent its own. */
  takeReceivedRequests(): ReceivedRequest[]
  close(): void
}

// Headers that the transport adds, which differ between both sides.
const TRANSPORT_HEADERS = [
  'connection',
  'host',
  'transfer-encoding',
  'content-length',
  'accept-encoding',
]

/** A real server on the loopback that records its requests. `bodies` contains each request's body for the handler. */
export async function startLoopback(
  handler: http.RequestListener,
  bodies: WeakMap<object, string>,
): Promise<Loopback> {
  let receivedRequests: ReceivedRequest[] = []
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url } = request
    const comparedHeaders = Object.entries(request.headers).filter(
      ([name]) => !TRANSPORT_HEADERS.includes(name),
    )
    const body = Buffer.concat(chunks).toString()
    bodies.set(request, body)
    if (url !== '/slow')
      receivedRequests.push({ method, url, headers: Object.fromEntries(comparedHeaders), body })
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeReceivedRequests() {
      const takenRequests = receivedRequests
      receivedRequests = []
      return takenRequests
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Handles a guest's requests over the network, like the egress gateway. */
export const respondFromNetwork: Responder = async (request, body) => {
  const { method, headers, decompress } = request
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const clientRequest = http.request(request.url, {
      method,
      headers: { ...headers } as http.OutgoingHttpHeaders,
    })
    clientRequest.on('response', resolve).on('error', reject)
    clientRequest.end(body.length > 0 ? body : undefined)
  })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const rawBody = Buffer.concat(chunks)
  const isCompressed = decompress && response.headers['content-encoding'] && rawBody.length > 0
  return {
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    rawHeaders: response.rawHeaders,
    body: isCompressed ? unzipSync(rawBody) : rawBody,
  } satisfies GuestResponse
}
