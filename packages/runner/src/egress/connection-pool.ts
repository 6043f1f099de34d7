import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { parseAddress } from './address.ts'
import type { Target } from './address-policy.ts'
import { EgressError, type Purpose, type Tenant, toConnectionError } from './egress.ts'
import { type EgressProxy, tunnel } from './egress-proxy.ts'

import { MAX_HEADER_BYTES } from './headers.ts'

/** Connections to one validated target, kept open for a short time. */
export interface PooledConnection {
  readonly dispatcher: Dispatcher
  /** True if the target has responded before, so its idle connections may have become stale. */
  hasResponded: boolean
}

/** The tenant and purpose that connections are reserved for. */
export interface ConnectionOwner {
  readonly purpose: Purpose
  readonly tenant?: Tenant | undefined
}

/**
 * Reuses connections for later requests to the same validated addresses, for the same host, purpose and workspace:
 * hanging requests of one workspace must not block the connections of another.
 */
export interface ConnectionPool {
  shared(target: Target, owner: ConnectionOwner): PooledConnection
  /** A dedicated connection, closed after one request. */
  createDedicated(target: Target): PooledConnection
  close(): Promise<void>
}

/** Connections that are idle for 4 seconds are closed; at most the 400 most recent unused entries remain. */
export function createConnectionPool(proxy: EgressProxy | undefined): ConnectionPool {
  const connections = new Map<string, PooledConnection>()
  const createOptions = (target: Target): Client.Options => ({
    connect: createConnector(target, proxy),
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // The gateway's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    shared(target, owner) {
      const key = buildConnectionKey(target, owner)
      const connection = connections.get(key) ?? {
        dispatcher: new Pool(target.url.origin, {
          ...createOptions(target),
          connections: MAX_CONNECTIONS,
        }),
        hasResponded: false,
      }
      connections.delete(key)
      connections.set(key, connection)
      for (const [oldest, { dispatcher }] of connections) {
        if (connections.size <= MAX_POOLED_TARGETS) break
        connections.delete(oldest)
        void dispatcher.close()
      }
      return connection
    },
    createDedicated: (target) => ({
      dispatcher: new Client(target.url.origin, createOptions(target)),
      hasResponded: false,
    }),
    async close() {
      const closing = [...connections.values()].map(({ dispatcher }) => dispatcher.destroy())
      connections.clear()
      await Promise.all(closing)
    },
  }
}

const IDLE_MS = 4_000
const MAX_POOLED_TARGETS = 400
const MAX_CONNECTIONS = 128

/** The same set of validated addresses has the same key, whatever their order. */
function buildConnectionKey(target: Target, { purpose, tenant }: ConnectionOwner): string {
  const workspace = tenant?.workspaceId ?? '-'
  return [purpose, workspace, target.url.origin, ...target.addresses.toSorted()].join(' ')
}

/** Timeout for TCP, the proxy's response and TLS together, in milliseconds. */
const CONNECT_TIMEOUT_MS = 3_000

/**
 * undici's connector for a target. It dials only the validated addresses, through the proxy if there is one, and
 * deliberately ignores the host that undici passes. Its errors are EgressErrors.
 */
function createConnector(target: Target, proxy?: EgressProxy): buildConnector.connector {
  return (_options, callback) => {
    connect(target, proxy).then(
      (socket) => callback(null, socket),
      (cause) => callback(toConnectionError(cause, `${target.host}:${target.port}`), null),
    )
  }
}

async function connect(target: Target, proxy: EgressProxy | undefined): Promise<Socket> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(connectTimeout(target)), CONNECT_TIMEOUT_MS)
  try {
    const socket = proxy
      ? await tunnel(proxy, target, timeout.signal)
      : await dial(target.addresses, target.port, timeout.signal)
    if (target.url.protocol !== 'https:') return socket
    return await startTls(socket, target.host, timeout.signal)
  } finally {
    clearTimeout(timer)
  }
}

function connectTimeout(target: Target): EgressError {
  const endpoint = `${target.host}:${target.port} (${target.addresses.join(', ')})`
  return new EgressError(
    'unreachable',
    `${endpoint} not connected in ${CONNECT_TIMEOUT_MS} ms`,
    'ETIMEDOUT',
  )
}

/** TLS over a connected socket. The certificate must match the requested host, not the address. */
function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const tlsSocket = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    // Set explicitly, because the environment could disable it.
    rejectUnauthorized: true,
  })
  const onFailure = (error: unknown): void => {
    reject(error)
    tlsSocket.destroy()
    socket.destroy()
  }
  const onAbort = (): void => onFailure(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  tlsSocket.once('secureConnect', () => resolve(tlsSocket))
  tlsSocket.on('error', onFailure)
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

/**
 * Connects to the first of `addresses` that responds. The next one is tried when the previous one fails or has not
 * connected within 250 ms. Only these addresses are dialled; no name is resolved.
 *
 * @throws EgressError `egress_unavailable` when this machine has no route to any of them, the last other socket error, or the
 * signal's reason
 */
export function dial(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const open = new Set<Socket>()
  const pending = addresses.slice(0, MAX_ATTEMPTS)
  let timer: NodeJS.Timeout | undefined
  let failure: Error | undefined

  const settle = (winner: Socket | undefined, failure: unknown): void => {
    clearTimeout(timer)
    pending.length = 0
    signal.removeEventListener('abort', onAbort)
    for (const socket of open) if (socket !== winner) socket.destroy()
    if (winner) resolve(winner)
    else reject(failure)
  }
  const onAbort = (): void => settle(undefined, signal.reason)
  const tryNext = (): void => {
    clearTimeout(timer)
    const address = pending.shift()
    if (address === undefined) return
    const socket = openSocket(address, port)
    open.add(socket)
    socket.once('connect', () => settle(...verifyRemoteAddress(socket, address)))
    socket.once('error', (error) => {
      open.delete(socket)
      // A machine without IPv6 has no route to one family: the failure of the other says more about the host.
      if (failure === undefined || !isLocalFailure(error)) failure = error
      if (pending.length > 0) tryNext()
      else if (open.size === 0) settle(undefined, toDialError(failure, address))
    })
    if (pending.length > 0) timer = setTimeout(tryNext, ATTEMPT_DELAY_MS)
  }

  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  else tryNext()
  return promise
}

/** Failures of this machine or its network, before anything reached the other end. */
const LOCAL_FAILURES = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENETDOWN', 'ENETUNREACH', 'ENFILE'])

function isLocalFailure(error: NodeJS.ErrnoException): boolean {
  return LOCAL_FAILURES.has(error.code ?? '')
}

function toDialError(error: NodeJS.ErrnoException, address: string): Error {
  return isLocalFailure(error)
    ? new EgressError('egress_unavailable', `${address}: ${error.message}`, error.code, error)
    : error
}

const MAX_ATTEMPTS = 8
const ATTEMPT_DELAY_MS = 250

function openSocket(address: string, port: number): Socket {
  const socket = connectTcp({ host: address, port, noDelay: true, autoSelectFamily: false })
  // Between connecting and the handover the socket has no listener; an unhandled error would end the process.
  return socket.on('error', () => {})
}

/** Defence in depth: the remote end must be the validated address. */
function verifyRemoteAddress(
  socket: Socket,
  address: string,
): [Socket | undefined, EgressError | undefined] {
  const remote = parseAddress(socket.remoteAddress?.replace(/%.*$/, '') ?? '')?.toString()
  if (remote === address) return [socket, undefined]
  return [undefined, new EgressError('refused', `dialled ${address} but reached ${remote}`)]
}
