import { ReadableStream } from 'web-streams-polyfill'
import { apply, parseJson, stringifyJson } from '../bindings/post.js'
import { tag } from '../properties.js'
import { Blob, blobBytes, decodeForm, encodeMultipart, FormData, streamOf } from './blob.js'
import { collect, decodeUtf8, encodeUtf8, viewOf } from './bytes.js'
import { AbortController } from './event-target.js'
import { Headers } from './headers.js'

/** What fetch accepts as a body, as `{ bytes?, stream?, type? }` (Fetch standard, "extract a body"). */
function extractBody(source) {
  if (source instanceof ReadableStream || isAsyncIterable(source)) {
    return { stream: source instanceof ReadableStream ? source : ReadableStream.from(source) }
  }
  if (source instanceof FormData) return encodeMultipart(source)
  if (source instanceof URLSearchParams) {
    const type = 'application/x-www-form-urlencoded;charset=UTF-8'
    return { bytes: encodeUtf8(source.toString()), type }
  }
  if (source instanceof Blob) return { bytes: blobBytes(source), type: source.type || undefined }
  const view = viewOf(source)
  if (view) return { bytes: view.slice() }
  return { bytes: encodeUtf8(`${source}`), type: 'text/plain;charset=UTF-8' }
}

/** What Request and Response share: one body, read once. */
class Body {
  #content
  #stream
  #used = false
  constructor(content) {
    this.#content = content
    if (content?.stream) this.#stream = content.stream
  }
  get body() {
    if (!this.#content) return null
    this.#stream ??= streamOf(this.#content.bytes)
    return this.#stream
  }
  get bodyUsed() {
    return this.#used || !!this.#stream?.locked
  }
  async bytes() {
    if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read')
    if (!this.#content) return new Uint8Array(0)
    this.#used = true
    return this.#stream ? collect(this.#stream) : this.#content.bytes
  }
  async arrayBuffer() {
    const bytes = await this.bytes()
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  }
  async text() {
    const text = decodeUtf8(await this.bytes())
    return text[0] === '\ufeff' ? text.slice(1) : text
  }
  async json() {
    return apply(parseJson, undefined, [await this.text()])
  }
  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get('content-type') ?? '' })
  }
  async formData() {
    return decodeForm(await this.bytes(), this.headers.get('content-type') ?? '')
  }

  /** The content for a second reader; a stream is split. */
  copyContent() {
    if (this.bodyUsed) throw new TypeError('Response.clone: Body has already been consumed.')
    if (!this.#stream) return this.#content
    const [mine, theirs] = this.#stream.tee()
    this.#stream = mine
    return { ...this.#content, stream: theirs }
  }
}

function isAsyncIterable(source) {
  return typeof source === 'object' && typeof source?.[Symbol.asyncIterator] === 'function'
}

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
    describe(this, values)
  }
  clone() {
    return new Request(this)
  }
}

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

const BLANK = { type: 'default', url: '', redirected: false, statusText: '' }
const withoutBody = new Set([101, 103, 204, 205, 304])

/** Response of the Fetch standard. */
export class Response extends Body {
  constructor(source = null, init = {}) {
    const status = init?.status ?? 200
    if (!(status >= 200 && status <= 599)) {
      throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.')
    }
    if (source !== null && withoutBody.has(status)) {
      throw new TypeError(`Response constructor: Invalid response status code ${status}`)
    }
    const content = source === null ? undefined : extractBody(source)
    super(content)
    const headers = new Headers(init?.headers)
    if (content?.type && !headers.has('content-type')) headers.set('content-type', content.type)
    describe(this, { ...BLANK, status, statusText: init?.statusText ?? '', headers })
  }
  get ok() {
    return this.status >= 200 && this.status <= 299
  }
  clone() {
    const response = makeResponse(this.copyContent(), { headers: new Headers(this.headers) })
    for (const name of ['type', 'url', 'redirected', 'status', 'statusText'])
      describe(response, { [name]: this[name] })
    return response
  }
  static error() {
    return makeResponse(undefined, { type: 'error', status: 0, headers: new Headers() })
  }
  static json(value, init = {}) {
    const headers = new Headers(init.headers)
    if (!headers.has('content-type')) headers.set('content-type', 'application/json')
    return new Response(stringifyJson(value), { ...init, headers })
  }
  static redirect(url, status = 302) {
    return new Response(null, { status, headers: { location: new URL(url).href } })
  }
}

tag(Request, Response)

/** A Response of any status, with content as extractBody answers it. */
export function makeResponse(content, values) {
  const response = Reflect.construct(Body, [content], Response)
  describe(response, { ...BLANK, ...values })
  return response
}

function describe(response, values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(response, name, { value, configurable: true })
  }
}
