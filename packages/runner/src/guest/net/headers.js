import { nodeError } from '../node/node-error.js'

/** RFC 9110 section 5.6.2. */
export const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/
const forbidden = /[^\t\x20-\x7e\x80-\xff]/
const oncePerMessage = new Set(
  `age authorization content-length content-type etag expires from host if-modified-since
  if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server
  user-agent`.split(/\s+/),
)

/** Throws as Node does for a header name that is no token (RFC 9110 section 5.1). */
export function validateHeaderName(name, label = 'Header name') {
  if (typeof name === 'string' && token.test(name)) return
  const message = `${label} must be a valid HTTP token ["${name}"]`
  throw nodeError(TypeError, 'ERR_INVALID_HTTP_TOKEN', message)
}

/** Throws as Node does for a header value that cannot be sent (RFC 9110 section 5.5). */
export function validateHeaderValue(name, value) {
  if (value === undefined) {
    const message = `Invalid value "${value}" for header "${name}"`
    throw nodeError(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', message)
  }
  for (const one of Array.isArray(value) ? value : [value]) {
    if (!forbidden.test(String(one))) continue
    const message = `Invalid character in header content ["${name}"]`
    throw nodeError(TypeError, 'ERR_INVALID_CHAR', message)
  }
}

/** Joins a flat list of names and values as Node's `message.headers` does. */
export function joinHeaders(raw) {
  const headers = new Map()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at].toLowerCase()
    const value = raw[at + 1]
    const known = headers.get(name)
    if (name === 'set-cookie') headers.set(name, [...(known ?? []), value])
    else if (known === undefined) headers.set(name, value)
    else if (name === 'cookie') headers.set(name, `${known}; ${value}`)
    else if (!oncePerMessage.has(name)) headers.set(name, `${known}, ${value}`)
  }
  // A header may be called __proto__.
  return Object.fromEntries(headers)
}

/** The headers of one request: found by any spelling, sent in the one that was set. */
export class OutgoingHeaders {
  #entries = new Map()

  set(name, value, implied = false) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    this.#entries.set(name.toLowerCase(), { name, value, implied })
  }
  append(name, value) {
    const known = this.get(name)
    this.set(name, known === undefined ? value : [].concat(known, value))
  }
  /** Takes an object, a flat list or a list of pairs. */
  setAll(headers) {
    if (!Array.isArray(headers)) {
      for (const name of Object.keys(headers)) this.set(name, headers[name])
    } else if (Array.isArray(headers[0])) {
      for (const [name, value] of headers) this.set(name, value)
    } else {
      for (let at = 0; at + 1 < headers.length; at += 2) this.append(headers[at], headers[at + 1])
    }
  }
  get(name) {
    return this.#entries.get(String(name).toLowerCase())?.value
  }
  has(name) {
    return this.#entries.has(String(name).toLowerCase())
  }
  delete(name) {
    this.#entries.delete(String(name).toLowerCase())
  }
  names() {
    return [...this.#entries.keys()]
  }
  rawNames() {
    return [...this.#entries.values()].map(({ name }) => name)
  }
  toObject() {
    const headers = Object.create(null)
    for (const [name, { value }] of this.#entries) headers[name] = value
    return headers
  }
  /** What the bundle set itself: `Host` is the host's business unless the bundle chose it. */
  toSend() {
    const headers = Object.create(null)
    for (const { name, value, implied } of this.#entries.values()) {
      if (!implied) headers[name] = value
    }
    return headers
  }
}
