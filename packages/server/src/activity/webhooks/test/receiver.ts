import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a receiver got. */
export interface ReceivedDelivery {
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly event: { readonly id: string; readonly sequence: number; readonly subject: string }
  readonly at: number
}

/** A real HTTP server that stores what it receives. */
export async function startReceiver(
  respond: (response: ServerResponse, delivery: ReceivedDelivery) => void = (response) =>
    void response.end(),
) {
  const received: ReceivedDelivery[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const event = JSON.parse(body)
      const delivery = { headers: request.headers, body, event, at: Date.now() }
      received.push(delivery)
      respond(response, delivery)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    url: `http://127.0.0.1:${port}/hooks`,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
