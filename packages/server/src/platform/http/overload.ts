import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { createTrustedProxies, toNetworkAddress } from './client-address.ts'
import type { Log } from './log.ts'

export interface ConnectionLimits {
  /** Concurrent connections; further ones are closed when they are accepted. */
  readonly maxConnections: number
  /** Addresses and CIDRs of proxies, which may hold all connections. */
  readonly trustProxy: readonly string[]
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly now: () => number
}

const LOG_INTERVAL_MS = 60_000

/**
 * Limits the concurrent connections of a server, and those of one address to half of them. Above 90 % of the limit, or above the
 * half, each new connection closes the one that has had no request for the longest time: an idle keep-alive connection, or one
 * without complete headers. If there is none, it closes one whose body arrives too slowly, then one whose response is
 * read too slowly. Connections that send or read nothing, or hardly anything, therefore cannot lock out clients.
 */
export function limitConnections(
  { server }: Pick<FastifyInstance, 'server'>,
  { maxConnections, trustProxy, log, now }: ConnectionLimits,
): void {
  const throttle = createThrottle(now)
  const throttleShares = createThrottle(now)
  const shares = createAddressShares(maxConnections, trustProxy)
  let openCount = 0
  const idleSockets = trackIdleSockets(server)
  const slowTransfers = createSlowTransfers(server)
  const closeOne = (isCandidate: IsCandidate): boolean => {
    const isOpen: IsCandidate = (socket) => !socket.destroyed && isCandidate(socket)
    const closed = idleSockets.values().find(isOpen) ?? slowTransfers.find(isOpen)
    closed?.destroy()
    return closed !== undefined
  }
  const makeRoom = (newSocket?: Socket) => {
    throttle(() =>
      log.warn({ maxConnections }, 'closing connections: LINCHPIN_MAX_CONNECTIONS is reached'),
    )
    closeOne((socket) => socket !== newSocket)
  }
  const keepShare = (newSocket: Socket) => {
    throttleShares(() =>
      log.warn(
        { maxConnections },
        'closing connections of an address that has half of LINCHPIN_MAX_CONNECTIONS',
      ),
    )
    const isCandidate = (socket: Socket) =>
      socket !== newSocket && shares.haveSameAddress(socket, newSocket)
    if (!closeOne(isCandidate)) newSocket.destroy()
  }
  server.maxConnections = maxConnections
  server.on('connection', (socket) => {
    openCount += 1
    socket.once('close', () => {
      openCount -= 1
    })
    if (shares.add(socket)) keepShare(socket)
    else if (openCount > maxConnections * 0.9) makeRoom(socket)
  })
  server.on('drop', () => makeRoom())
  server.on('error', (error) => {
    // Errors while starting to listen reject `listen`; later ones must not crash the process.
    if (server.listening)
      throttle(() => log.error({ err: error }, 'a connection could not be accepted'))
  })
}

/** Connections without a request, the longest idle first. */
function trackIdleSockets(server: Server): ReadonlySet<Socket> {
  const idleSockets = new Set<Socket>()
  server.on('connection', (socket) => {
    idleSockets.add(socket)
    socket.once('close', () => idleSockets.delete(socket))
  })
  /** Active requests. A connection may send the next request before the first response (pipelining). */
  const requests = new WeakMap<Socket, number>()
  const trackRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
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
  return idleSockets
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

/** The share of all connections that one address may hold: an IPv4 address, or an IPv6 /64. */
const MAX_SHARE = 0.5
/** Without LINCHPIN_TRUST_PROXY, a proxy on the same machine connects from one of these. */
const LOCALHOST = ['127.0.0.1', '::1']

/** Counts the connections of each address. */
interface AddressShares {
  /** Counts a connection until it is closed. Returns whether its address now holds more than its share. */
  add(socket: Socket): boolean
  haveSameAddress(one: Socket, other: Socket): boolean
}

/** Counts no connections of localhost and of trusted proxies, which are those of many clients. */
function createAddressShares(maxConnections: number, trustProxy: readonly string[]): AddressShares {
  const isTrustedProxy = createTrustedProxies([...trustProxy, ...LOCALHOST])
  const addresses = new WeakMap<Socket, string>()
  const counts = new Map<string, number>()
  return {
    add(socket) {
      const { remoteAddress } = socket
      if (remoteAddress === undefined || isTrustedProxy(remoteAddress)) return false
      const address = toNetworkAddress(remoteAddress, 64)
      const count = (counts.get(address) ?? 0) + 1
      addresses.set(socket, address)
      counts.set(address, count)
      socket.once('close', () => {
        const remaining = (counts.get(address) ?? 1) - 1
        if (remaining === 0) counts.delete(address)
        else counts.set(address, remaining)
      })
      return count > maxConnections * MAX_SHARE
    },
    haveSameAddress: (one, other) => addresses.get(one) === addresses.get(other),
  }
}

/** A transfer is slow below this rate, in bytes per second; a phone on a bad network reaches ten times as much. */
const MIN_RATE = 2_048
/** How long a body must have been slow before its connection makes room for others. */
const BODY_GRACE_MS = 1_000
/** Likewise for a response. What a client reads is seen in steps: see `MAX_SLOW_MS`. */
const RESPONSE_GRACE_MS = 10_000
/**
 * How long a response may be slow. A step is up to a third of the kernel's largest send buffer, 1.5 MB: with less time, a client
 * of 5 kB/s would be slow.
 */
const MAX_SLOW_MS = 300_000
const INTERVAL_MS = 1_000

type IsCandidate = (socket: Socket) => boolean

/** The connections whose clients, not this server, delay a body or a response. */
export interface SlowTransfers {
  /** The one of them that has been slow for the longest time, bodies first. */
  find(isCandidate: IsCandidate): Socket | undefined
}

/**
 * Measures the progress of bodies that are arriving, and of responses of which more is ready to be sent: a long poll, an event
 * stream or a download that waits for its source is never slow. Closes connections whose response was slow for
 * `maxSlowMs`; Node's `requestTimeout` limits the time for a body.
 */
export function createSlowTransfers(server: Server, maxSlowMs = MAX_SLOW_MS): SlowTransfers {
  const sockets = new Set<Socket>()
  /** The requests whose bodies have not arrived completely. */
  const uploads = new Map<Socket, IncomingMessage>()
  const bodies = createMeasurements((socket) =>
    uploads.get(socket)?.readableLength === 0 ? socket.bytesRead : undefined,
  )
  const responses = createMeasurements(countAcceptedBytes)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      uploads.delete(socket)
      bodies.remove(socket)
      responses.remove(socket)
    })
  })
  server.prependListener('request', (request) => {
    if (!hasBody(request)) return
    const { socket } = request
    uploads.set(socket, request)
    bodies.update(socket)
    const forget = () => uploads.get(socket) === request && uploads.delete(socket)
    request.once('end', forget).once('close', forget)
  })
  const timer = setInterval(() => {
    for (const socket of uploads.keys()) bodies.update(socket)
    for (const socket of sockets) if (responses.update(socket) >= maxSlowMs) socket.destroy()
  }, INTERVAL_MS).unref()
  server.on('close', () => clearInterval(timer))
  return {
    find: (isCandidate) =>
      bodies.find(isCandidate, BODY_GRACE_MS) ?? responses.find(isCandidate, RESPONSE_GRACE_MS),
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** What the kernel has taken of what was written; undefined if that is all. Node's timeout of a socket reads the same. */
function countAcceptedBytes(socket: Socket): number | undefined {
  const { _handle: handle } = socket as Socket & { readonly _handle?: Handle | null }
  if (handle == null || handle.writeQueueSize === 0) return undefined
  return handle.bytesWritten - handle.writeQueueSize
}

/** No public property tells how much of a long chunk was sent. */
interface Handle {
  /** Includes what is in the queue. */
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/** Since when a transfer has been slower than `MIN_RATE`. */
interface Measurement {
  /** On the monotonic clock. */
  readonly startedAt: number
  readonly bytesBefore: number
}

/** @param countBytes what was transferred; undefined unless the client delays the transfer */
function createMeasurements(countBytes: (socket: Socket) => number | undefined) {
  /** The oldest first. */
  const measurements = new Map<Socket, Measurement>()
  const isSlow = ({ startedAt, bytesBefore }: Measurement, bytes: number) =>
    ((bytes - bytesBefore) / (performance.now() - startedAt)) * 1_000 < MIN_RATE
  return {
    /** Measures anew a transfer that is fast enough. Returns for how long it has been slow, in milliseconds. */
    update(socket: Socket): number {
      const bytes = countBytes(socket)
      const measurement = measurements.get(socket)
      if (bytes !== undefined && measurement !== undefined && isSlow(measurement, bytes))
        return performance.now() - measurement.startedAt
      measurements.delete(socket)
      if (bytes !== undefined)
        measurements.set(socket, { startedAt: performance.now(), bytesBefore: bytes })
      return 0
    },
    find(isCandidate: IsCandidate, graceMs: number): Socket | undefined {
      for (const [socket, measurement] of measurements) {
        if (performance.now() - measurement.startedAt < graceMs) return undefined
        const bytes = countBytes(socket)
        if (bytes !== undefined && isSlow(measurement, bytes) && isCandidate(socket)) return socket
      }
      return undefined
    },
    remove: (socket: Socket) => void measurements.delete(socket),
  }
}

const RESOLUTION_MS = 10
/** A process rejects requests after its event loop was blocked for this long, until it has run for as long again. */
const MAX_STALL_MS = 5_000

/**
 * Rejects requests with `overloaded` after the event loop was blocked for `maxStallMs` on average, until it has run
 * for as long. `/health/live` is answered: a supervisor that restarts a busy process makes the others busier. Does not read
 * memory usage: that opens a file and would crash the process when no file descriptor is free.
 *
 * @returns whether requests are rejected now
 * @throws ApiError `overloaded` in the `onRequest` hook
 */
export function rejectWhenStalled(
  app: FastifyInstance,
  maxStallMs: number = MAX_STALL_MS,
): () => boolean {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let isStalled = false
  // Not an interval: the next sample must start after this one was read, even if that was late.
  const timer = setTimeout(() => {
    const delayMs = histogram.mean / 1e6 - RESOLUTION_MS
    // A sample with a single iteration of the loop has no mean.
    isStalled = Number.isNaN(delayMs) || delayMs > maxStallMs
    histogram.reset()
    timer.refresh()
  }, maxStallMs).unref()
  app.addHook('onRequest', (request, _reply, done) => {
    if (isStalled && request.url !== '/health/live')
      throw new ApiError('overloaded', 'Linchpin is overloaded. Try again in a moment.')
    done()
  })
  app.addHook('onClose', async () => {
    clearTimeout(timer)
    histogram.disable()
  })
  return () => isStalled
}
