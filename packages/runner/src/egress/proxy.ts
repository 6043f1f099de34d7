import { request } from 'node:http'
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { GateError } from './gate-error.ts'
import { plainHost } from './host-list.ts'
import type { Target } from './judge.ts'
import type { Resolve } from './resolve.ts'

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
export function readProxy(url: URL, resolve: Resolve): EgressProxy {
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') throw new TypeError('The proxy must be an http(s) URL.')
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    host: plainHost(url.hostname),
    port: Number(url.port || (secure ? 443 : 80)),
    secure,
    lookup: lookupBy(resolve),
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
  const places = target.addresses.length > 0 ? target.addresses : [target.host]
  let failure: unknown
  for (const place of places) {
    signal.throwIfAborted()
    const authority = `${place.includes(':') ? `[${place}]` : place}:${target.port}`
    try {
      return await openTunnel(proxy, authority, signal)
    } catch (cause) {
      failure = cause
    }
  }
  throw failure
}

/** A resolver in the form that sockets ask: theirs would hold a thread. */
function lookupBy(resolve: Resolve): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found
        if (first === undefined) done(new Error(`${hostname} has no address`), '')
        else if (all) done(null, [...found])
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
  const asking = request({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }),
    },
    createConnection: () => dialProxy(proxy),
  })
  const fail = (reason: string, cause?: unknown): void => {
    asking.destroy()
    reject(new GateError('unreachable', `proxy, ${authority}: ${reason}`, undefined, cause))
  }
  const onAbort = (): void => {
    reject(signal.reason)
    asking.destroy()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  asking.on('error', (error) => fail(error.message, error))
  asking.once('connect', (response, socket, early) => {
    const opened = Math.floor((response.statusCode ?? 0) / 100) === 2 && early.length === 0
    // Nobody listens until the hand-over; an unheard error would end the process.
    if (opened) return resolve(socket.on('error', () => {}))
    socket.destroy()
    fail(`answered ${response.statusCode}`)
  })
  asking.end()
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

function dialProxy(proxy: EgressProxy): Socket {
  const { host, port, lookup } = proxy
  return proxy.secure
    ? connectTls({ host, port, lookup, servername: host, rejectUnauthorized: true })
    : connectTcp({ host, port, lookup, noDelay: true })
}
