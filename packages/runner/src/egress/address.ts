import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Reads an IP address in its plain notation; `::ffff:a.b.c.d` becomes its IPv4 address.
 * `undefined` for everything else, zone ids (`fe80::1%eth0`) included.
 */
export function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.process(text)
}

/**
 * Whether an address is global unicast: a host on the public internet and nothing else.
 * IPv6 must lie in 2000::/3, the only block that IANA hands out, which leaves no room for IPv4 in IPv6 clothes
 * (compatible, NAT64, SIIT), unique local, site-local, discard-only and whatever is reserved for later.
 */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return isV4(address) || (address.match(GLOBAL_UNICAST) && !address.match(SIXBONE))
}

/** Whether an address always means the machine itself: loopback, or unspecified, which systems dial as loopback. */
export function isSelfAddress(address: Address): boolean {
  const range = address.range()
  return range === 'loopback' || range === 'unspecified'
}

/** Whether `address` lies in `network`/`prefix`; never across families. */
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
