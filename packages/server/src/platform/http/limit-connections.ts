import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Log } from './log.ts'
import { createSlowTransfers, type IsCandidate } from './slow-transfers.ts'
import { toNetworkAddress } from './to-network-address.ts'
import { createTrustedProxies } from './trusted-proxies.ts'

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
