import { stringifyJson } from '../bindings/primordials.js'
import { Body, extractBody } from './body.js'
import { Headers } from './headers.js'

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
    describe(this, {
      type: 'default',
      url: '',
      redirected: false,
      status,
      statusText: init?.statusText ?? '',
      headers,
    })
  }
  get ok() {
    return this.status >= 200 && this.status <= 299
  }
  clone() {
    const { type, url, redirected, status, statusText, headers } = this
    return makeResponse(this.copyContent(), {
      type,
      url,
      redirected,
      status,
      statusText,
      headers: new Headers(headers),
    })
  }
  static error() {
    return makeResponse(undefined, {
      type: 'error',
      url: '',
      redirected: false,
      status: 0,
      statusText: '',
      headers: new Headers(),
    })
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

Object.defineProperty(Response.prototype, Symbol.toStringTag, {
  value: 'Response',
  configurable: true,
})

/** A Response of any status, with content as extractBody answers it. */
export function makeResponse(content, values) {
  const response = Reflect.construct(Body, [content], Response)
  describe(response, values)
  return response
}

function describe(response, values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(response, name, { value, configurable: true })
  }
}
