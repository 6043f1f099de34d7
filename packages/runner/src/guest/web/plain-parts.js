// The address of an API as nearly all integrations write it: nothing that the standard would change.
const PLAIN =
  /^(https?:)\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([1-9]\d{0,4}))?(\/[\w\-.~!$&'()*+,;=:@%/]*)?(\?[\w\-.~!$&()*+,;=:@%/?]+)?$/
const DEFAULT_PORTS = { 'http:': '80', 'https:': '443' }

/**
 * The parts of a URL that stands already as the standard writes it; undefined for any other, which the whole parser
 * has to judge. That one takes a quarter of a millisecond here, and a request needs several.
 */
export function plainParts(text) {
  const match = PLAIN.exec(text)
  if (match === null) return undefined
  const [, protocol, hostname, port = '', pathname = '/', search = ''] = match
  if (!isPlainHost(hostname) || !isPlainPort(port, protocol)) return undefined
  if (/\/\.|%2e/i.test(pathname)) return undefined
  return { protocol, hostname, port, pathname, search }
}

function isPlainHost(hostname) {
  if (hostname.includes('..') || hostname.includes('--')) return false
  const last = hostname.slice(hostname.lastIndexOf('.') + 1)
  // A last label that reads as a number makes the whole an address.
  if (!/^(?:\d+|0x[\da-f]*)$/.test(last)) return true
  const bytes = hostname.split('.')
  return (
    bytes.length === 4 && bytes.every((byte) => /^(?:0|[1-9]\d{0,2})$/.test(byte) && byte < 256)
  )
}

function isPlainPort(port, protocol) {
  return port <= 65_535 && port !== DEFAULT_PORTS[protocol]
}
