import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Log } from './log.ts'

export interface ConnectionBounds {
  /** Connections at once; more are closed as soon as they are accepted. */
  readonly maxConnections: number
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly now: () => number
}

const LOG_EVERY_MS = 60_000

/**
 * Bounds the connections of a server. From nine tenths of the bound on, each new connection closes the one that has been
 * without a request for the longest time: idle keep-alive connections, and those that have sent no complete headers.
 * So connections that send nothing leave no new caller out.
 */
export function boundConnections(
  { server }: Pick<FastifyInstance, 'server'>,
  { maxConnections, log, now }: ConnectionBounds,
): void {
  const throttled = createThrottle(now)
  const warn = () =>
    throttled(() =>
      log.warn({ maxConnections }, 'connections were closed: LINCHPIN_MAX_CONNECTIONS is reached'),
    )
  let open = 0
  /** Connections without a request, the one that waits longest first. */
  const waiting = new Set<Socket>()
  server.maxConnections = maxConnections
  server.on('connection', (socket) => {
    open += 1
    waiting.add(socket)
    socket.once('close', () => {
      open -= 1
      waiting.delete(socket)
    })
    if (open <= maxConnections * 0.9) return
    warn()
    const [longest] = waiting
    if (longest !== undefined && longest !== socket) longest.destroy()
  })
  /** Requests under way. A connection may send the next one before it has the first answer. */
  const requests = new WeakMap<Socket, number>()
  const serve = ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket)
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (requests.get(socket) ?? 1) - 1
      requests.set(socket, left)
      if (left === 0 && !socket.destroyed) waiting.add(socket)
    })
  }
  // Before Fastify's own listener, which may answer at once.
  server.prependListener('request', serve)
  server.on('drop', warn)
  server.on('error', (error) => {
    // Failures to listen reject `listen`; what fails later must not end the process.
    if (server.listening)
      throttled(() => log.error({ err: error }, 'a connection could not be accepted'))
  })
}

/** Runs a log line at most once a minute. */
function createThrottle(now: () => number): (line: () => void) => void {
  let at = Number.NEGATIVE_INFINITY
  return (line) => {
    if (now() - at < LOG_EVERY_MS) return
    at = now()
    line()
  }
}
