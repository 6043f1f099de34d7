import 'core-js/actual/url/index.js'
import 'core-js/actual/url-search-params/index.js'
import { nodeError } from '../node/node-error.js'
import { tag } from '../properties.js'

const PlainURL = globalThis.URL

// The address of an API as nearly all integrations write it: nothing that the standard would change.
const PLAIN =
  /^(https?:)\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([1-9]\d{0,4}))?(\/[\w\-.~!$&'()*+,;=:@%/]*)?(\?[\w\-.~!$&()*+,;=:@%/?]+)?$/

const DEFAULT_PORTS = { 'http:': '80', 'https:': '443' }

/** URL of the WHATWG standard, with Node's code on the error. */
export class URL {
  #parts
  #whole

  constructor(...given) {
    if (given.length === 0) new PlainURL()
    const input = `${given[0]}`
    this.#parts = given[1] === undefined ? plainParts(input) : undefined
    if (this.#parts === undefined) this.#whole = parse(input, given[1])
  }

  static canParse(...given) {
    return PlainURL.canParse(...given)
  }

  static parse(...given) {
    return PlainURL.canParse(...given) ? new URL(...given) : null
  }

  get href() {
    return this.#parts === undefined ? this.#whole.href : write(this.#parts)
  }

  get origin() {
    return this.#parts === undefined ? this.#whole.origin : `${this.protocol}//${this.host}`
  }

  get host() {
    if (this.#parts === undefined) return this.#whole.host
    const { hostname, port } = this.#parts
    return port === '' ? hostname : `${hostname}:${port}`
  }

  get searchParams() {
    return this.#parsed().searchParams
  }

  toString() {
    return this.href
  }

  toJSON() {
    return this.href
  }

  static {
    const get = (name) =>
      function () {
        return this.#parts === undefined ? this.#whole[name] : (this.#parts[name] ?? '')
      }
    const set = (name) =>
      function (value) {
        this.#parsed()[name] = value
      }
    const names = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search']
    for (const name of [...names, 'hash'])
      Object.defineProperty(URL.prototype, name, { configurable: true, get: get(name) })
    for (const name of ['href', 'host', ...names, 'hash']) {
      const { get: read } = Object.getOwnPropertyDescriptor(URL.prototype, name)
      const settable = { configurable: true, enumerable: true, get: read, set: set(name) }
      Object.defineProperty(URL.prototype, name, settable)
    }
    for (const name of ['origin', 'searchParams', 'toString', 'toJSON'])
      Object.defineProperty(URL.prototype, name, { enumerable: true })
    tag(URL)
  }

  // What may change is held by the whole parser, which has every rule of the standard.
  #parsed() {
    if (this.#parts !== undefined) {
      this.#whole = new PlainURL(write(this.#parts))
      this.#parts = undefined
    }
    return this.#whole
  }
}

function write({ protocol, hostname, port, pathname, search }) {
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}${pathname}${search}`
}

function parse(input, base) {
  try {
    return base === undefined ? new PlainURL(input) : new PlainURL(input, `${base}`)
  } catch {
    throw Object.assign(nodeError(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input })
  }
}

/**
 * The parts of a URL that stands already as the standard writes it; undefined for any other, which the whole parser
 * has to judge. That one takes a quarter of a millisecond here, and a request needs several.
 */
function plainParts(text) {
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
