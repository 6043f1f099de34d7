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
 * Bounds the connections of a server. From nine tenths of the bound on, idle keep-alive connections are closed, so that
 * they leave no new caller out.
 */
export function boundConnections(
  { server }: Pick<FastifyInstance, 'server'>,
  { maxConnections, log, now }: ConnectionBounds,
): void {
  const throttled = createThrottle(now)
  let open = 0
  server.maxConnections = maxConnections
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    if (open > maxConnections * 0.9) server.closeIdleConnections()
  })
  server.on('drop', () =>
    throttled(() =>
      log.warn({ maxConnections }, 'a connection above LINCHPIN_MAX_CONNECTIONS was closed'),
    ),
  )
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
