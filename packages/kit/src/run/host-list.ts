/** Whether a host is on a list; `*.example.com` covers subdomains, not example.com itself. */
export function isListed(host: string, hosts: readonly string[]): boolean {
  return hosts.some((entry) =>
    entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry,
  )
}
