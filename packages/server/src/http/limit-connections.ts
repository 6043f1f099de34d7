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

/** A body counts as slow below this rate, in bytes per second; a phone on a bad network sends ten times as much. */
const MIN_BODY_RATE = 2_048
/** A body is not slow before it has had this long. */
const BODY_GRACE_MS = 1_000

/**
 * Limits the concurrent connections of a server. Above 90 % of the limit, each new connection closes the one that has
 * had no request for the longest time: an idle keep-alive connection, or one without complete headers. If there is none, it
 * closes one whose body arrives too slowly. Connections that send nothing, or hardly anything, therefore cannot lock out
 * clients.
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
    if (openCount > maxConnections * 0.9) makeRoom(socket)
  })
  /** The bodies that have not arrived completely, the oldest first. */
  const uploads = new Map<Socket, Upload>()
  const makeRoom = (newSocket?: Socket) => {
    warn()
    const [longestIdle] = idleSockets
    const isIdle = longestIdle !== undefined && longestIdle !== newSocket
    const closed = isIdle ? longestIdle : findSlowUpload(uploads)
    closed?.destroy()
  }
  /** Active requests. A connection may send the next request before the first response (pipelining). */
  const requests = new WeakMap<Socket, number>()
  const trackRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    idleSockets.delete(socket)
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.on('close', trackEnd)
    if (hasBody(request)) trackUpload(uploads, request)
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
  server.on('drop', () => makeRoom())
  server.on('error', (error) => {
    // Errors while starting to listen reject `listen`; later ones must not crash the process.
    if (server.listening)
      throttle(() => log.error({ err: error }, 'a connection could not be accepted'))
  })
}

/** A body that is arriving. */
interface Upload {
  readonly request: IncomingMessage
  /** On the monotonic clock. */
  readonly startedAt: number
  /** What the connection had received before. */
  readonly bytesBefore: number
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function trackUpload(uploads: Map<Socket, Upload>, request: IncomingMessage): void {
  const { socket } = request
  const startedAt = performance.now()
  uploads.set(socket, { request, startedAt, bytesBefore: socket.bytesRead })
  const forget = () => uploads.get(socket)?.request === request && uploads.delete(socket)
  request.once('end', forget).once('close', forget)
}

/** The oldest connection whose client, not this server, lets a body arrive too slowly. */
function findSlowUpload(uploads: ReadonlyMap<Socket, Upload>): Socket | undefined {
  const now = performance.now()
  for (const [socket, { request, startedAt, bytesBefore }] of uploads) {
    const elapsedMs = now - startedAt
    if (elapsedMs < BODY_GRACE_MS) return undefined
    const rate = ((socket.bytesRead - bytesBefore) / elapsedMs) * 1_000
    if (rate < MIN_BODY_RATE && request.readableLength === 0) return socket
  }
  return undefined
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
