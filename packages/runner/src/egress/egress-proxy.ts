import { request } from 'node:http'
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Target } from './address-policy.ts'
import { EgressError } from './egress-error.ts'
import { normalizeHost } from './host-list.ts'
import type { Resolve } from './resolve-host.ts'

/** The operator's HTTP proxy. It is trusted: its own address is not judged. */
export interface EgressProxy {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly authorization: string | undefined
  /** Finds the proxy's own address. */
  readonly lookup: LookupFunction
}

/**
 * Reads the proxy's URL; user and password become Proxy-Authorization.
 *
 * @throws TypeError when it is neither http nor https
 */
export function parseProxyUrl(url: URL, resolve: Resolve): EgressProxy {
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') throw new TypeError('The proxy must be an http(s) URL.')
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    host: normalizeHost(url.hostname),
    port: Number(url.port || (secure ? 443 : 80)),
    secure,
    lookup: toLookupFunction(resolve),
    authorization: pair === ':' ? undefined : `Basic ${Buffer.from(pair).toString('base64')}`,
  }
}

/**
 * A socket through the proxy to the target (RFC 9110 section 9.3.6), trying its judged addresses in turn. A target
 * without addresses goes by its name.
 *
 * @throws GateError `unreachable`, or the signal's reason
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

/** A resolver in the form that sockets ask: theirs would hold a thread. */
function toLookupFunction(resolve: Resolve): LookupFunction {
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
  const connectRequest = request({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }),
    },
    createConnection: () => dialProxy(proxy),
  })
  const fail = (reason: string, cause?: unknown): void => {
    connectRequest.destroy()
    reject(new EgressError('unreachable', `proxy, ${authority}: ${reason}`, undefined, cause))
  }
  const onAbort = (): void => {
    reject(signal.reason)
    connectRequest.destroy()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  connectRequest.on('error', (error) => fail(error.message, error))
  connectRequest.once('connect', (response, socket, earlyData) => {
    const isOpen = Math.floor((response.statusCode ?? 0) / 100) === 2 && earlyData.length === 0
    // Nobody listens until the hand-over; an unheard error would end the process.
    if (isOpen) return resolve(socket.on('error', () => {}))
    socket.destroy()
    fail(`answered ${response.statusCode}`)
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
