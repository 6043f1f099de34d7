/** Header names and values; a list if a header occurs more than once. */
export type HeaderMap = Readonly<Record<string, string | readonly string[]>>

/**
 * The headers of the request to the provider: those of the caller, without hop-by-hop and Linchpin headers, overridden by
 * those of the account. Headers that describe the body or the desired response stay the caller's.
 *
 * @param rawHeaders flat list of names and values, as received
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  credentials: Readonly<Record<string, string>>,
): HeaderMap {
  const headers = filterForwardedHeaders(rawHeaders)
  for (const [name, value] of Object.entries(credentials)) {
    const key = name.toLowerCase()
    if (CALLER_CONTROLLED.test(key) && headers.has(key)) continue
    headers.set(key, { name, values: [value] })
  }
  if (!headers.has('user-agent'))
    headers.set('user-agent', { name: 'User-Agent', values: ['Linchpin'] })
  return Object.fromEntries([...headers.values()].map(({ name, values }) => [name, values]))
}

interface Header {
  readonly name: string
  readonly values: string[]
}

function filterForwardedHeaders(rawHeaders: readonly string[]): Map<string, Header> {
  const headers = new Map<string, Header>()
  const connectionOptions = new Set<string>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const key = name.toLowerCase()
    if (key === 'connection')
      for (const option of value.toLowerCase().split(',')) connectionOptions.add(option.trim())
    if (STRIPPED_HEADERS.test(key)) continue
    const existing = headers.get(key)
    if (existing === undefined) headers.set(key, { name, values: [value] })
    else existing.values.push(value)
  }
  for (const key of connectionOptions) headers.delete(key)
  return headers
}

/** Hop-by-hop headers (RFC 9110 section 7.6.1), forwarding headers, and Linchpin's own, above all the caller's token. */
const STRIPPED_HEADERS =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|host|content-length|authorization|cookie2?|forwarded|via|x-real-ip|x-forwarded-.*|proxy-.*|linchpin-.*)$/
/** A Content-Type from a bundle must not relabel the caller's body. */
const CALLER_CONTROLLED = /^(?:accept|accept-.*|content-.*|user-agent)$/
