import { isIP } from 'node:net'

/** Addresses by lower-case name. */
export type Hosts = ReadonlyMap<string, readonly string[]>

/** Parses `/etc/hosts` (hosts(5)): an address and its names per line, comments after `#`. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const hostname = name.toLowerCase().replace(/\.$/, '')
      hosts.set(hostname, [...(hosts.get(hostname) ?? []), address])
    }
  }
  return hosts
}
