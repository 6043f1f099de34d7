import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { unzipSync } from 'node:zlib'
import type { Answer, GuestResponse } from './guest-harness.ts'

export interface SeenRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Loopback {
  readonly origin: string
  /** Requests since the last call, except those to `/slow`: a client that aborts may not have sent its own. */
  takeSeen(): SeenRequest[]
  close(): void
}

// Headers that the transport adds, which differ between both sides.
const ofTheTransport = [
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
  let seen: SeenRequest[] = []
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url } = request
    const kept = Object.entries(request.headers).filter(([name]) => !ofTheTransport.includes(name))
    const body = Buffer.concat(chunks).toString()
    bodies.set(request, body)
    if (url !== '/slow') seen.push({ method, url, headers: Object.fromEntries(kept), body })
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeSeen() {
      const taken = seen
      seen = []
      return taken
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Handles a guest's requests over the network, like the egress gateway. */
export const answerFromNetwork: Answer = async (request, body) => {
  const { method, headers, decompress } = request
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const sent = http.request(request.url, {
      method,
      headers: { ...headers } as http.OutgoingHttpHeaders,
    })
    sent.on('response', resolve).on('error', reject)
    sent.end(body.length > 0 ? body : undefined)
  })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  const packed = decompress && response.headers['content-encoding'] && whole.length > 0
  return {
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    rawHeaders: response.rawHeaders,
    body: packed ? unzipSync(whole) : whole,
  } satisfies GuestResponse
}
