/**
 * The provider's headers that a caller gets, names and values in turn. What belongs to one connection, sets state in a
 * browser, or would speak for Linchpin's own origin is left out.
 *
 * @param rawHeaders names and values in turn, as received
 */
export function responseHeaders(rawHeaders: readonly string[], status: number): string[] {
  const hopByHop = new Set(connectionOptions(rawHeaders))
  const forwarded: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const key = name.toLowerCase()
    if (STRIPPED_HEADERS.test(key) || hopByHop.has(key) || !isValidHeader(name, value)) continue
    // RFC 9110 section 8.6
    if (key === 'content-length' && status === 204) continue
    forwarded.push(name, value)
  }
  return forwarded
}

/** What every answer of a provider carries on top: it is data, whatever it calls itself. */
export const LINCHPIN_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'linchpin-proxy': 'provider',
}

const STRIPPED_HEADERS = new RegExp(
  `^(?:${[
    // RFC 9110 section 7.6.1
    'connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade',
    // Written anew here
    'date|cache-control|expires|pragma|age|x-request-id|linchpin-.*',
    // State and behaviour of a browser
    'set-cookie2?|clear-site-data|refresh|service-worker.*|alt-svc|origin-trial|sourcemap|x-sourcemap',
    // Policies of an origin, which is ours here
    'strict-transport-security|public-key-pins.*|expect-ct|content-security-policy.*|x-content-type-options',
    'x-frame-options|x-xss-protection|referrer-policy|permissions-policy.*|feature-policy|document-policy.*',
    'access-control-.*|timing-allow-origin|cross-origin-.*|origin-agent-cluster|x-permitted-.*|x-dns-.*',
    'nel|report-to|reporting-endpoints|speculation-rules|supports-loading-mode|accept-ch.*|critical-ch',
  ].join('|')})$`,
)

function connectionOptions(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'connection'
      ? value
          .toLowerCase()
          .split(',')
          .map((option) => option.trim())
      : [],
  )
}

/** As Node would refuse it, when the head is written and it is too late to say so. */
function isValidHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
