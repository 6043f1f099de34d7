import { once } from 'node:events'
import type { Server } from 'node:http'

/** Stops accepting connections, and closes each one when it has no request. Resolves when all are closed. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  await closed
  clearInterval(timer)
}

const IDLE_CHECK_MS = 20
