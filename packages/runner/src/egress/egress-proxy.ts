import { request } from 'node:http'
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  formatBasicCredentials,
  type HostResolver,
  normalizeHost,
  type Target,
} from './address-policy.ts'
import { EgressError } from './egress.ts'

/** The operator's HTTP proxy. It is trusted: its own address is not validated. */
export interface EgressProxy {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly authorization: string | undefined
  /** Resolves the proxy's own address. */
  readonly lookup: LookupFunction
}

/**
 * Parses the proxy's URL; user and password become Proxy-Authorization.
 *
 * @throws TypeError when it is neither http nor https
 */
export function parseProxyUrl(url: URL, resolve: HostResolver): EgressProxy {
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') throw new TypeError('The proxy must be an http(s) URL.')
  const hasCredentials = url.username !== '' || url.password !== ''
  return {
    host: normalizeHost(url.hostname),
    port: Number(url.port || (secure ? 443 : 80)),
    secure,
    lookup: toLookupFunction(resolve),
    authorization: hasCredentials ? formatBasicCredentials(url) : undefined,
  }
}

/**
 * Opens a socket through the proxy to the target (RFC 9110 section 9.3.6), trying its validated addresses in turn. A
 * target without addresses is passed by name.
 *
 * @throws EgressError `unreachable` when the proxy could not reach the target (5xx), `egress_unavailable` for any other
 * failure of the proxy, or the signal's reason
 */
export async function tunnel(
  proxy: EgressProxy,
  target: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const hosts = target.addresses.length > 0 ? target.addresses : [target.host]
  let failure: unknown
  for (const host of hosts) {
    signal.throwIfAborted()
    const authority = `${host.includes(':') ? `[${host}]` : host}:${target.port}`
    try {
      return await openTunnel(proxy, authority, signal)
    } catch (cause) {
      failure = cause
    }
  }
  throw failure
}

/** Adapts a resolver to the `lookup` option of sockets, whose default blocks a thread. */
function toLookupFunction(resolve: HostResolver): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined) done(new Error(`${hostname} has no address`), '')
        else if (all) done(null, [...addresses])
        else done(null, first.address, first.family)
      },
      (error) => done(error, ''),
    )
  }
}

async function openTunnel(
  proxy: EgressProxy,
  authority: string,
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  let proxySocket: Socket | undefined
  const connectRequest = request({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }),
    },
    createConnection: () => {
      proxySocket = dialProxy(proxy)
      return proxySocket
    },
  })
  const toError = (reason: string, cause?: unknown): EgressError =>
    new EgressError('egress_unavailable', `proxy, ${authority}: ${reason}`, undefined, cause)
  const fail = (error: EgressError): void => {
    connectRequest.destroy()
    reject(error)
  }
  const onAbort = (): void => {
    reject(proxySocket?.connecting ? toError('not connected in time') : signal.reason)
    connectRequest.destroy()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  connectRequest.on('error', (error) => fail(toError(error.message, error)))
  connectRequest.once('connect', (response, socket, earlyData) => {
    const statusClass = Math.floor((response.statusCode ?? 0) / 100)
    const isOpen = statusClass === 2 && earlyData.length === 0
    // The socket has no listener until the handover; an unhandled error would end the process.
    if (isOpen) return resolve(socket.on('error', () => {}))
    socket.destroy()
    const reason = `answered ${response.statusCode}`
    // A proxy reports a target that it cannot reach as 502, 503 or 504.
    const isTargetUnreachable = statusClass === 5
    fail(
      isTargetUnreachable
        ? new EgressError('unreachable', `proxy, ${authority}: ${reason}`)
        : toError(reason),
    )
  })
  connectRequest.end()
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

function dialProxy(proxy: EgressProxy): Socket {
  const { host, port, lookup } = proxy
  return proxy.secure
    ? connectTls({ host, port, lookup, servername: host, rejectUnauthorized: true })
    : connectTcp({ host, port, lookup, noDelay: true })
}
