import { normalizeIP } from '@fastify/rate-limit'

/**
 * The network of a client, as a rate-limit key: an IPv4 address, or the first `prefix` bits of an IPv6 address. An
 * IPv4-mapped address counts as IPv4. A port after the address, which some proxies write into X-Forwarded-For, is
 * ignored: otherwise each connection would be a separate network.
 */
export function toNetworkAddress(ip: string, prefix: 48 | 64): string {
  const [, bracketed] = /^\[([^\]]{1,100})\](?::\d{1,5})?$/.exec(ip) ?? []
  const [, dotted] = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(ip) ?? []
  return normalizeIP(bracketed ?? dotted ?? ip, prefix)
}
