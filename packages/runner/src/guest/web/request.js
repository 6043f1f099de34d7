import { AbortController } from './abort.js'
import { Body, extractBody } from './body.js'
import { Headers } from './headers.js'

const normalized = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'])

/** Request of the Fetch standard. */
export class Request extends Body {
  constructor(input, init = {}) {
    const given = init ?? {}
    const from = input instanceof Request ? input : undefined
    const url = from ? new URL(from.url) : parseUrl(input)
    const method = methodOf(given.method ?? from?.method ?? 'GET')
    const source = given.body ?? undefined
    if (source !== undefined && (method === 'GET' || method === 'HEAD')) {
      throw new TypeError('Request with GET/HEAD method cannot have body.')
    }
    const content = source === undefined ? from?.copyContent() : extractBody(source)
    if (content?.stream && source && given.duplex !== 'half') {
      throw new TypeError('RequestInit: duplex option is required when sending a body.')
    }
    super(content)
    const headers = new Headers(given.headers ?? from?.headers)
    if (source !== undefined && content.type && !headers.has('content-type')) {
      headers.set('content-type', content.type)
    }
    const signal = given.signal ?? from?.signal ?? new AbortController().signal
    const values = {
      method,
      url: url.href,
      headers,
      signal,
      redirect: given.redirect ?? from?.redirect ?? 'follow',
      credentials: given.credentials ?? from?.credentials ?? 'same-origin',
      mode: given.mode ?? from?.mode ?? 'cors',
      cache: given.cache ?? from?.cache ?? 'default',
      keepalive: !!(given.keepalive ?? from?.keepalive),
      referrer: 'about:client',
      referrerPolicy: '',
      integrity: '',
      destination: '',
      duplex: 'half',
    }
    for (const [name, value] of Object.entries(values)) {
      Object.defineProperty(this, name, { value, configurable: true })
    }
  }
  clone() {
    return new Request(this)
  }
}

Object.defineProperty(Request.prototype, Symbol.toStringTag, {
  value: 'Request',
  configurable: true,
})

function parseUrl(input) {
  let url
  try {
    url = new URL(`${input}`)
  } catch (cause) {
    throw new TypeError(`Failed to parse URL from ${input}`, { cause })
  }
  if (!url.username && !url.password) return url
  throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url}`)
}

function methodOf(method) {
  const upper = `${method}`.toUpperCase()
  if (
    !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(`${method}`) ||
    ['CONNECT', 'TRACE', 'TRACK'].includes(upper)
  ) {
    throw new TypeError(`'${method}' is not a valid HTTP method.`)
  }
  return normalized.has(upper) ? upper : `${method}`
}
