/** Header names with their values, several where a header came several times. */
export type HeaderMap = Readonly<Record<string, string | readonly string[]>>

/**
 * The headers that go to the provider: the caller's, but for those that belong to the connection or to Linchpin, and
 * over them the account's. What describes the body or the answer that is wished for stays the caller's.
 *
 * @param rawHeaders names and values in turn, as received
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  credentials: Readonly<Record<string, string>>,
): HeaderMap {
  const headers = forwardedHeaders(rawHeaders)
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

function forwardedHeaders(rawHeaders: readonly string[]): Map<string, Header> {
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

/** Of the connection (RFC 9110 section 7.6.1), of the way to us, or Linchpin's own business: its token above all. */
const STRIPPED_HEADERS =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|host|content-length|authorization|cookie2?|forwarded|via|x-real-ip|x-forwarded-.*|proxy-.*|linchpin-.*)$/
/** A bundle's fixed Content-Type must not rename what the caller sends. */
const CALLER_CONTROLLED = /^(?:accept|accept-.*|content-.*|user-agent)$/
