import { normalizeIP } from '@fastify/rate-limit'

/**
 * The network of a visitor: an IPv4 address, or the first `prefix` bits of an IPv6 address. An IPv4-mapped address
 * counts as IPv4. A port behind the address, as some proxies write into X-Forwarded-For, does not count: each
 * connection would be a network of its own.
 */
export function toNetworkAddress(ip: string, prefix: 48 | 64): string {
  const [, bracketed] = /^\[([^\]]{1,100})\](?::\d{1,5})?$/.exec(ip) ?? []
  const [, dotted] = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(ip) ?? []
  return normalizeIP(bracketed ?? dotted ?? ip, prefix)
}
