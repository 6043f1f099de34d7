import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Log } from './log.ts'

export interface ConnectionLimits {
  /** Connections at once; more are closed as soon as they are accepted. */
  readonly maxConnections: number
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly now: () => number
}

const LOG_INTERVAL_MS = 60_000

/**
 * Bounds the connections of a server. From nine tenths of the bound on, each new connection closes the one that has been
 * without a request for the longest time: idle keep-alive connections, and those that have sent no complete headers.
 * So connections that send nothing leave no new caller out.
 */
export function limitConnections(
  { server }: Pick<FastifyInstance, 'server'>,
  { maxConnections, log, now }: ConnectionLimits,
): void {
  const throttle = createThrottle(now)
  const warn = () =>
    throttle(() =>
      log.warn({ maxConnections }, 'connections were closed: LINCHPIN_MAX_CONNECTIONS is reached'),
    )
  let openCount = 0
  /** Connections without a request, the one that waits longest first. */
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
  /** Requests under way. A connection may send the next one before it has the first answer. */
  const requests = new WeakMap<Socket, number>()
  const trackRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    idleSockets.delete(socket)
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const remaining = (requests.get(socket) ?? 1) - 1
      requests.set(socket, remaining)
      if (remaining === 0 && !socket.destroyed) idleSockets.add(socket)
    })
  }
  // Before Fastify's own listener, which may answer at once.
  server.prependListener('request', trackRequest)
  server.on('drop', warn)
  server.on('error', (error) => {
    // Failures to listen reject `listen`; what fails later must not end the process.
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
