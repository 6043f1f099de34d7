import { domainToASCII } from 'node:url'

/** Normalizes a host name for comparison: lower case, without brackets or trailing dot. */
export function normalizeHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

/**
 * Returns true if a normalized host is on a list of hosts; `*.example.com` covers subdomains, not example.com itself.
 */
export function isListed(host: string, hosts: readonly string[]): boolean {
  return hosts.some((entry) => {
    const wildcard = entry.startsWith('*.')
    const name = wildcard ? entry.slice(2) : entry
    const listed = normalizeHost(domainToASCII(name) || name)
    if (listed === '') return false
    return wildcard ? host.endsWith(`.${listed}`) : host === listed
  })
}
