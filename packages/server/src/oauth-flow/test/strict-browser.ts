import { once } from 'node:events'
import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { text } from 'node:stream/consumers'

/** What a browser got. */
export interface StrictBrowserResponse {
  readonly status: number
  readonly text: string
  readonly location: string
  readonly setCookie: readonly string[]
}

/**
 * A client that keeps cookies as RFC 6265bis says: by host, not by port, `Secure` and `__Host-` held to their rules.
 */
export interface StrictBrowser {
  readonly cookies: Map<string, { readonly value: string; readonly secure: boolean }>
  get(url: string): Promise<StrictBrowserResponse>
  /** Presses the button of our page. */
  submit(url: string, headers?: Record<string, string>): Promise<StrictBrowserResponse>
}

/** One that knows a single host and trusts this certificate beside no other. */
export function createStrictBrowser(ca: string): StrictBrowser {
  const cookies: StrictBrowser['cookies'] = new Map()
  const sendRequest = async (url: string, method: string, more: Record<string, string>) => {
    const isSecure = url.startsWith('https:')
    const cookie = [...cookies]
      .filter(([, stored]) => isSecure || !stored.secure)
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...more }
    const request = isSecure
      ? secure(url, { method, headers, ca, agent: false })
      : plain(url, { method, headers, agent: false })
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const setCookie = response.headers['set-cookie'] ?? []
    for (const line of setCookie) storeCookie(line, isSecure)
    const { location } = response.headers
    return {
      status: response.statusCode ?? 0,
      text: await text(response),
      location: location === undefined ? '' : new URL(location, url).href,
      setCookie,
    }
  }
  const storeCookie = (line: string, isSecure: boolean): void => {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split('=')
    const has = (attribute: string) => attributes.includes(attribute)
    if (has('Secure') && !isSecure) return
    const isBound = has('Secure') && has('Path=/') && !/;\s*domain=/i.test(line)
    if (name.startsWith('__Host-') && !isBound) return
    // What was kept securely is not replaced from plain http.
    if (!isSecure && cookies.get(name)?.secure) return
    cookies.set(name, { value, secure: has('Secure') })
  }
  return {
    cookies,
    get: (url) => sendRequest(url, 'GET', {}),
    submit: (url, headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }) =>
      sendRequest(url, 'POST', { 'content-type': 'application/x-www-form-urlencoded', ...headers }),
  }
}
