import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { closeServer } from './close-server.ts'
import { restoreRequest } from './forwarded-request.ts'
import type { MainAddress } from './messages.ts'

/** The socket of the main process for workers. */
export interface ForwardedRequests {
  readonly mainAddress: MainAddress
  /** Waits for the requests in progress. */
  close(): Promise<void>
}

/** Passes the requests that workers forward to the app, on a socket that only this user can reach. */
export async function receiveForwardedRequests(
  app: Pick<FastifyInstance, 'routing'>,
): Promise<ForwardedRequests> {
  const folder = await mkdtemp(path.join(tmpdir(), `linchpin-${process.pid}-`))
  const mainAddress: MainAddress = {
    socketPath: path.join(folder, 'main.sock'),
    secret: randomBytes(32).toString('base64url'),
  }
  // The worker has checked the sizes and the times; it adds a header, and it closes idle connections.
  const server = createServer(
    {
      maxHeaderSize: 64 * 1024,
      requestTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 0,
      requireHostHeader: false,
    },
    (request, response) => {
      if (restoreRequest(request, mainAddress)) app.routing(request, response)
      else request.socket.destroy()
    },
  )
  server.listen(mainAddress.socketPath)
  await once(server, 'listening')
  return {
    mainAddress,
    async close() {
      await closeServer(server)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
