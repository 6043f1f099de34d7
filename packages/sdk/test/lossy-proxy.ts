import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A proxy that forwards every request and loses some of the responses. */
export interface LossyProxy {
  readonly url: string
  /** How many responses it has lost. */
  countLost(): number
  close(): Promise<void>
}

export interface LossyProxyOptions {
  readonly target: string
  /** The share of the responses that it loses, 0 to 1. */
  readonly share: number
  readonly random: () => number
  /** Forwards without the keys. */
  readonly removesKeys?: boolean
}

export async function startLossyProxy(options: LossyProxyOptions): Promise<LossyProxy> {
  let lost = 0
  const server = createServer(async (request, response) => {
    const upstream = await forward(request, options)
    const body = await upstream.text()
    if (options.random() < options.share) {
      lost += 1
      request.socket.destroy()
      return
    }
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    countLost: () => lost,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(
  request: IncomingMessage,
  { target, removesKeys = false }: LossyProxyOptions,
): Promise<Response> {
  const { authorization = '', 'idempotency-key': key } = request.headers
  const headers = new Headers({ authorization, 'content-type': 'application/json' })
  if (typeof key === 'string' && !removesKeys) headers.set('idempotency-key', key)
  const { method = 'GET', url } = request
  return fetch(target + url, { method, headers, body: await text(request) })
}
