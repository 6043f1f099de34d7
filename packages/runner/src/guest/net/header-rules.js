import { nodeError } from '../node/node-error.js'

const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/
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
  const headers = {}
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at].toLowerCase()
    const value = raw[at + 1]
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (name === 'set-cookie') headers[name] = [...(known ?? []), value]
    else if (known === undefined) define(headers, name, value)
    else if (name === 'cookie') headers[name] = `${known}; ${value}`
    else if (!oncePerMessage.has(name)) headers[name] = `${known}, ${value}`
  }
  return headers
}

// A header may be called __proto__.
function define(headers, name, value) {
  Object.defineProperty(headers, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}
