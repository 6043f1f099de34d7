import { once } from 'node:events'
import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { text } from 'node:stream/consumers'

/** A response as the browser sees it. */
export interface StrictBrowserResponse {
  readonly status: number
  readonly text: string
  readonly location: string
  readonly setCookie: readonly string[]
}

/** A client with cookies as in RFC 6265bis: per host, not per port, with the rules of `Secure` and `__Host-`. */
export interface StrictBrowser {
  readonly cookies: Map<string, { readonly value: string; readonly secure: boolean }>
  get(url: string): Promise<StrictBrowserResponse>
  /** Submits the form of the page. */
  submit(url: string, headers?: Record<string, string>): Promise<StrictBrowserResponse>
}

/** Creates a browser for a single host that trusts only this certificate. */
export function createStrictBrowser(ca: string): StrictBrowser {
  const cookies: StrictBrowser['cookies'] = new Map()
  const sendRequest = async (url: string, method: string, extraHeaders: Record<string, string>) => {
    const isSecure = url.startsWith('https:')
    const cookie = [...cookies]
      .filter(([, stored]) => isSecure || !stored.secure)
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...extraHeaders }
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
    // A `Secure` cookie must not be replaced over http.
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
