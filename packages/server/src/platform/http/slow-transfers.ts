import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

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

export type IsCandidate = (socket: Socket) => boolean

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
