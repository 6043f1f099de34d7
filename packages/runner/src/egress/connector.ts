import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Target } from './address-policy.ts'
import { dial } from './dial.ts'
import { EgressError, toConnectionError } from './egress-error.ts'
import { type EgressProxy, tunnel } from './egress-proxy.ts'

/** Timeout for TCP, the proxy's response and TLS together, in milliseconds. */
const CONNECT_TIMEOUT_MS = 3_000

/**
 * undici's connector for a target. It dials only the validated addresses, through the proxy if there is one, and
 * deliberately ignores the host that undici passes. Its errors are EgressErrors.
 */
export function createConnector(target: Target, proxy?: EgressProxy): buildConnector.connector {
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
