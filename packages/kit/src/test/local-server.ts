import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A real server on a free port of 127.0.0.1. */
export interface LocalServer {
  readonly origin: string
  close(): void
}

/** Listens on 127.0.0.1. Port 0 is a free one. */
export async function startLocalServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<LocalServer> {
  const server = createServer(handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
