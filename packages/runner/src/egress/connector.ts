import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { dial } from './dial.ts'
import { connectionFailure, GateError } from './gate-error.ts'
import type { Target } from './judge.ts'
import { type EgressProxy, tunnel } from './proxy.ts'

/** Time for TCP, the proxy's answer and TLS together, in milliseconds. */
const CONNECT_MS = 3_000

/**
 * undici's way to a target: it dials the judged addresses, through the proxy where there is one, and nothing else.
 * What undici asks for is ignored on purpose. Errors are GateErrors.
 */
export function createConnector(target: Target, proxy?: EgressProxy): buildConnector.connector {
  return (_asked, callback) => {
    connect(target, proxy).then(
      (socket) => callback(null, socket),
      (cause) => callback(connectionFailure(cause, `${target.host}:${target.port}`), null),
    )
  }
}

async function connect(target: Target, proxy: EgressProxy | undefined): Promise<Socket> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooSlow(target)), CONNECT_MS)
  try {
    const socket = proxy
      ? await tunnel(proxy, target, late.signal)
      : await dial(target.addresses, target.port, late.signal)
    if (target.url.protocol !== 'https:') return socket
    return await startTls(socket, target.host, late.signal)
  } finally {
    clearTimeout(timer)
  }
}

function tooSlow(target: Target): GateError {
  const where = `${target.host}:${target.port} (${target.addresses.join(', ')})`
  return new GateError('unreachable', `${where} not connected in ${CONNECT_MS} ms`, 'ETIMEDOUT')
}

/** TLS over a connected socket. The certificate must fit the host that was asked for, not the address. */
function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    // Said aloud, because the environment could switch it off.
    rejectUnauthorized: true,
  })
  const onFailure = (error: unknown): void => {
    reject(error)
    secure.destroy()
    socket.destroy()
  }
  const onAbort = (): void => onFailure(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  secure.once('secureConnect', () => resolve(secure))
  secure.on('error', onFailure)
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}
