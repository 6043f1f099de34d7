import { connect as connectTcp, type Socket } from 'node:net'
import { parseAddress } from './address.ts'
import { EgressError } from './egress-error.ts'

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
