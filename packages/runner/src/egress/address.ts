import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Parses an IP address in plain notation; `::ffff:a.b.c.d` becomes its IPv4 address. Returns `undefined` for everything
 * else, including zone ids (`fe80::1%eth0`).
 */
export function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.process(text)
}

/**
 * Returns true for global unicast addresses: hosts on the public internet. IPv6 addresses must be in 2000::/3, the only
 * block that IANA allocates. This excludes embedded IPv4 (compatible, NAT64, SIIT), unique local, site-local,
 * discard-only and reserved addresses.
 */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return isV4(address) || (address.match(GLOBAL_UNICAST) && !address.match(SIXBONE))
}

/**
 * Returns true for addresses that always mean this machine: loopback, and unspecified, which operating systems dial as
 * loopback.
 */
export function isSelfAddress(address: Address): boolean {
  const range = address.range()
  return range === 'loopback' || range === 'unspecified'
}

/** Returns true if `address` is in `network`/`prefix`; never across families. */
export function isInNetwork(address: Address, network: Address, prefix: number): boolean {
  if (isV4(address)) return isV4(network) && address.match(network, prefix)
  return !isV4(network) && address.match(network, prefix)
}

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** The 6bone, returned to IANA (RFC 3701). */
const SIXBONE: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('3ffe::'), 16]

function isV4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4'
}
