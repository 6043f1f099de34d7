import type { Socket } from 'node:net'
import { toNetworkAddress } from './to-network-address.ts'
import { createTrustedProxies } from './trusted-proxies.ts'

/** The share of all connections that one address may hold: an IPv4 address, or an IPv6 /64. */
const MAX_SHARE = 0.5
/** Without LINCHPIN_TRUST_PROXY, a proxy on the same machine connects from one of these. */
const LOCALHOST = ['127.0.0.1', '::1']

/** Counts the connections of each address. */
export interface AddressShares {
  /** Counts a connection until it is closed. Returns whether its address now holds more than its share. */
  add(socket: Socket): boolean
  haveSameAddress(one: Socket, other: Socket): boolean
}

/** Counts no connections of localhost and of trusted proxies, which are those of many clients. */
export function createAddressShares(
  maxConnections: number,
  trustProxy: readonly string[],
): AddressShares {
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
