import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Purpose } from './egress.ts'

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

/** One entry of LINCHPIN_EGRESS_ALLOW: a network with an optional port and purpose. */
export interface AllowEntry {
  readonly network: Address
  /** Prefix length of the network, in bits. */
  readonly prefix: number
  /** Absent: every port. */
  readonly port?: number
  /** Absent: every purpose. */
  readonly purpose?: Purpose
}

/**
 * Parses LINCHPIN_EGRESS_ALLOW: CIDRs, addresses or `address:port` (`[v6]:port`), separated by commas, each optionally
 * limited by `source=`, `bundle=`, `oauth=`, `webhook=`, `keys=`, `telemetry=` or `sso=`. Empty text allows nothing.
 *
 * @throws Error whose message lists every invalid entry, one sentence each
 */
export function parseAllowList(text: string): AllowEntry[] {
  const errors: string[] = []
  const entries: AllowEntry[] = []
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') continue
    const entry = parseEntry(item)
    if (typeof entry === 'string') errors.push(`"${item}" ${entry}.`)
    else entries.push(entry)
  }
  if (errors.length > 0) throw new Error(errors.join(' '))
  return entries
}

/** Returns true if the list allows this address and port for this purpose. */
export function isAllowed(
  entries: readonly AllowEntry[],
  address: Address,
  port: number,
  purpose: Purpose,
): boolean {
  return entries.some(
    (entry) =>
      (entry.purpose === undefined || entry.purpose === purpose) &&
      (entry.port === undefined || entry.port === port) &&
      isInNetwork(address, entry.network, entry.prefix),
  )
}

const PURPOSES: readonly string[] = [
  'source',
  'bundle',
  'oauth',
  'webhook',
  'keys',
  'telemetry',
  'sso',
] satisfies Purpose[]

/** Returns the parsed entry, or the error message for it. */
function parseEntry(item: string): AllowEntry | string {
  const equals = item.indexOf('=')
  if (equals === -1) return parseTarget(item)
  const purpose = item.slice(0, equals).trim()
  if (!isPurpose(purpose)) {
    return `starts with "${purpose}=", but only source=, bundle=, oauth=, webhook=, keys=, telemetry= and sso= are supported`
  }
  const target = parseTarget(item.slice(equals + 1).trim())
  return typeof target === 'string' ? target : { ...target, purpose }
}

function isPurpose(text: string): text is Purpose {
  return PURPOSES.includes(text)
}

function parseTarget(text: string): AllowEntry | string {
  if (text.includes('/')) return parseCidr(text)
  const address = parseAddress(text)
  if (address) return { network: address, prefix: toAddressBits(address) }
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? []
  const network = parseAddress(bracketed ?? plain ?? '')
  if (!network)
    return 'is not an IP address, a CIDR or address:port; use addresses instead of names'
  if (digits === undefined) return { network, prefix: toAddressBits(network) }
  const port = parseInteger(digits, 65_535)
  if (port === undefined || port === 0) return 'needs a port from 1 to 65535'
  return { network, prefix: toAddressBits(network), port }
}

function parseCidr(text: string): AllowEntry | string {
  const [, address = '', digits = ''] = /^([^/]*)\/(.*)$/.exec(text) ?? []
  if (/^\d+:/.test(digits))
    return 'is a CIDR with a port; ports are supported for single addresses only'
  const network = parseAddress(address)
  if (!network) return 'is not a CIDR such as 10.0.0.0/8 or fd00::/8'
  // A mapped IPv4 address was converted to plain IPv4, which removes 96 bits of its prefix.
  const addressLength = address.includes(':') ? 128 : 32
  const bits = parseInteger(digits, addressLength)
  if (bits === undefined) return `needs a prefix from 1 to ${addressLength}`
  const prefix = bits - (addressLength - toAddressBits(network))
  if (prefix < 1) return 'covers every address'
  return { network, prefix }
}

function toAddressBits(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128
}

function parseInteger(digits: string, max: number): number | undefined {
  if (!/^\d{1,5}$/.test(digits)) return undefined
  const value = Number(digits)
  return value <= max ? value : undefined
}
