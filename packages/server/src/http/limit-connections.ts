import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Log } from './log.ts'

export interface ConnectionLimits {
  /** Concurrent connections; further ones are closed when they are accepted. */
  readonly maxConnections: number
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly now: () => number
}

const LOG_INTERVAL_MS = 60_000

/**
 * Limits the concurrent connections of a server. Above 90 % of the limit, each new connection closes the one that has
 * had no request for the longest time: an idle keep-alive connection, or one without complete headers. Connections that
 * send nothing therefore cannot lock out clients.
 */
export function limitConnections(
  { server }: Pick<FastifyInstance, 'server'>,
  { maxConnections, log, now }: ConnectionLimits,
): void {
  const throttle = createThrottle(now)
  const warn = () =>
    throttle(() =>
      log.warn({ maxConnections }, 'closing connections: LINCHPIN_MAX_CONNECTIONS is reached'),
    )
  let openCount = 0
  /** Connections without a request, the longest idle first. */
  const idleSockets = new Set<Socket>()
  server.maxConnections = maxConnections
  server.on('connection', (socket) => {
    openCount += 1
    idleSockets.add(socket)
    socket.once('close', () => {
      openCount -= 1
      idleSockets.delete(socket)
    })
    if (openCount <= maxConnections * 0.9) return
    warn()
    const [longestIdle] = idleSockets
    if (longestIdle !== undefined && longestIdle !== socket) longestIdle.destroy()
  })
  /** Active requests. A connection may send the next request before the first response (pipelining). */
  const requests = new WeakMap<Socket, number>()
  const trackRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    idleSockets.delete(socket)
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.on('close', trackEnd)
  }
  // One function for all responses, which emit `close` once: `once` and a closure for each would cost more than the rest.
  function trackEnd(this: ServerResponse): void {
    const { socket } = this.req
    const remaining = (requests.get(socket) ?? 1) - 1
    requests.set(socket, remaining)
    if (remaining === 0 && !socket.destroyed) idleSockets.add(socket)
  }
  // Before Fastify's own listener, which may respond synchronously.
  server.prependListener('request', trackRequest)
  server.on('drop', warn)
  server.on('error', (error) => {
    // Errors while starting to listen reject `listen`; later ones must not crash the process.
    if (server.listening)
      throttle(() => log.error({ err: error }, 'a connection could not be accepted'))
  })
}

/** Runs a log line at most once a minute. */
function createThrottle(now: () => number): (writeLog: () => void) => void {
  let lastRunAt = Number.NEGATIVE_INFINITY
  return (writeLog) => {
    if (now() - lastRunAt < LOG_INTERVAL_MS) return
    lastRunAt = now()
    writeLog()
  }
}
