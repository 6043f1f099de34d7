import stream from 'node:stream'
import { abortRequest, sendRequest } from '../bindings/requests.js'
import { denied } from '../node/denied.js'
import { abortError, nodeError } from '../node/node-error.js'
import { clearTimeout, setTimeout } from '../node/timers.js'
import { OutgoingHeaders, token } from './headers.js'
import { FakeSocket, IncomingMessage } from './incoming-message.js'
import { socketError } from './socket-error.js'

const unsendable = /[^\u0021-\u00ff]/

/** `http.ClientRequest` without a socket: it gathers the body and hands the whole request to the host. */
export class ClientRequest extends stream.Writable {
  #headers = new OutgoingHeaders()
  #chunks = []
  #length = 0
  #sent = false
  #url
  #id
  #timer
  #unsubscribe

  constructor(options, callback, defaultProtocol) {
    super({ autoDestroy: false, decodeStrings: true })
    const expected = options.agent?.protocol ?? defaultProtocol
    this.protocol = options.protocol || expected
    checkRequest(options, this.protocol, expected)
    this.method = String(options.method || 'GET').toUpperCase()
    this.path = options.path || '/'
    this.host = options.hostname || options.host || 'localhost'
    this.agent = options.agent
    this.res = null
    this.aborted = false
    this.reusedSocket = false
    this.shouldKeepAlive = true
    this.finished = false
    this.headersSent = false
    this.timeout = undefined
    this.maxHeadersCount = null
    this.#url = targetUrl(options, this.protocol)
    this.#setHeaders(options)
    this.socket = new FakeSocket(this.protocol === 'https:')
    this.connection = this.socket
    if (callback) this.once('response', callback)
    if (options.timeout !== undefined) this.setTimeout(options.timeout)
    if (options.signal) this.#unsubscribe = followSignal(this, options.signal)
    process.nextTick(() => this.#connect())
  }

  setHeader(name, value) {
    this.#refuseLate('set')
    this.#headers.set(name, value)
    return this
  }
  appendHeader(name, value) {
    this.#refuseLate('append')
    this.#headers.append(name, value)
    return this
  }
  setHeaders(headers) {
    for (const [name, value] of headers) this.setHeader(name, value)
    return this
  }
  getHeader(name) {
    return this.#headers.get(name)
  }
  hasHeader(name) {
    return this.#headers.has(name)
  }
  removeHeader(name) {
    this.#refuseLate('remove')
    this.#headers.delete(name)
  }
  getHeaders() {
    return this.#headers.toObject()
  }
  getHeaderNames() {
    return this.#headers.names()
  }
  getRawHeaderNames() {
    return this.#headers.rawNames()
  }
  flushHeaders() {
    this.headersSent = true
  }
  setNoDelay() {}
  setSocketKeepAlive() {}
  addTrailers() {}

  setTimeout(milliseconds, callback) {
    clearTimeout(this.#timer)
    this.timeout = milliseconds
    if (callback) this.once('timeout', callback)
    if (milliseconds > 0) this.#timer = setTimeout(() => this.#timedOut(), milliseconds)
    return this
  }

  write(...rest) {
    this.headersSent = true
    return super.write(...rest)
  }
  end(...rest) {
    this.headersSent = true
    this.finished = true
    super.end(...rest)
    return this
  }

  /** Node's old way to destroy; it says `abort` as well. */
  abort() {
    if (this.aborted) return
    this.aborted = true
    process.nextTick(() => this.emit('abort'))
    this.destroy()
  }

  _write(chunk, _encoding, done) {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    done()
    // A server answers once it has as many bytes as were announced; some clients then never end the request.
    const announced = Number(this.getHeader('content-length'))
    if (announced > 0 && this.#length >= announced && !this.destroyed) this.#send()
  }
  _final(done) {
    done()
    if (!this.destroyed) this.#send()
  }
  _destroy(error, done) {
    clearTimeout(this.#timer)
    this.#unsubscribe?.()
    if (this.#id !== undefined) abortRequest(this.#id)
    this.#chunks = []
    this.socket.destroyed = true
    if (this.res && !this.res.complete) this.res.destroy(error ?? hungUp('aborted'))
    done(error ?? (this.res ? null : hungUp('socket hang up')))
  }

  #setHeaders(options) {
    if (options.headers) this.#headers.setAll(options.headers)
    if (options.auth && !this.hasHeader('authorization')) {
      const credentials = Buffer.from(options.auth).toString('base64')
      this.#headers.set('Authorization', `Basic ${credentials}`)
    }
    if (!this.hasHeader('host') && options.setHost !== false) {
      this.#headers.set('Host', new URL(this.#url).host || this.host, true)
    }
  }
  #connect() {
    if (this.destroyed) return
    this.emit('socket', this.socket)
    this.socket.emit('connect')
    if (this.socket.encrypted) this.socket.emit('secureConnect')
    if (/100-continue/i.test(this.getHeader('expect') ?? '')) this.emit('continue')
  }
  #send() {
    if (this.#sent) return
    this.#sent = true
    const chunks = this.#chunks
    this.#chunks = []
    const body = chunks.length ? Buffer.concat(chunks) : undefined
    const request = {
      method: this.method,
      url: this.#url,
      headers: this.#headers.toSend(),
      decompress: false,
      body: body?.length ? new Uint8Array(body).buffer : undefined,
    }
    try {
      this.#id = sendRequest(request, this.#respond.bind(this), this.#fail.bind(this))
    } catch (error) {
      this.destroy(error)
    }
  }
  #respond(response, bytes) {
    this.#id = undefined
    if (this.destroyed) return
    clearTimeout(this.#timer)
    const content = this.method === 'HEAD' ? null : bytes
    const message = new IncomingMessage(this.socket, response, content)
    this.res = message
    message.req = this
    message.once('close', () => this.destroy())
    if (!this.emit('response', message)) message.resume()
  }
  #fail(failure) {
    this.#id = undefined
    this.destroy(socketError(failure, this.#url))
  }
  #timedOut() {
    if (this.destroyed) return
    this.socket.emit('timeout')
    this.emit('timeout')
  }
  #refuseLate(verb) {
    if (!this.headersSent) return
    const message = `Cannot ${verb} headers after they are sent to the client`
    throw nodeError(Error, 'ERR_HTTP_HEADERS_SENT', message)
  }
}

/** Reads the argument forms of `http.request`: (url, options, callback), (url, callback), (options, callback). */
export function readArguments(first, second, third) {
  const isUrl = typeof first === 'string' || isUrlObject(first)
  if (!isUrl) return { options: { ...first }, callback: second }
  const url = urlOptions(typeof first === 'string' ? new URL(first) : first)
  if (typeof second === 'function') return { options: url, callback: second }
  return { options: { ...url, ...second }, callback: third }
}

/** The URL that request options stand for. Node's order: `host` gives way to `hostname`. */
function targetUrl(options, protocol) {
  const host = String(options.hostname || options.host || 'localhost')
  const bare = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const port = options.port || options.defaultPort
  return `${protocol}//${bare}${port ? `:${port}` : ''}${options.path || '/'}`
}

function isUrlObject(value) {
  return (
    typeof value?.href === 'string' && !!value.searchParams && typeof value.protocol === 'string'
  )
}

/** `url.urlToHttpOptions`. */
export function urlOptions(url) {
  const options = {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    hash: url.hash,
    search: url.search,
    pathname: url.pathname,
    path: `${url.pathname || ''}${url.search || ''}`,
    href: url.href,
  }
  if (url.port !== '') options.port = Number(url.port)
  if (url.username || url.password) {
    options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  }
  return options
}

/** Throws what Node throws for request options that it does not send. */
function checkRequest(options, protocol, expected) {
  if (options.socketPath) denied('socketPath')
  if (options.method && !token.test(options.method)) {
    throw nodeError(
      TypeError,
      'ERR_INVALID_HTTP_TOKEN',
      `Method must be a valid HTTP token ["${options.method}"]`,
    )
  }
  if (options.path && unsendable.test(options.path)) {
    throw nodeError(
      TypeError,
      'ERR_UNESCAPED_CHARACTERS',
      'Request path contains unescaped characters',
    )
  }
  if (protocol !== expected) {
    throw nodeError(
      TypeError,
      'ERR_INVALID_PROTOCOL',
      `Protocol "${protocol}" not supported. Expected "${expected}"`,
    )
  }
}

/** The error of a connection that ended too early. */
function hungUp(message) {
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}

/** Destroys a request when the signal says so. Answers how to stop listening. */
function followSignal(request, signal) {
  const stop = () => {
    request.destroy(abortError(signal.reason))
  }
  if (signal.aborted) process.nextTick(stop)
  else signal.addEventListener?.('abort', stop, { once: true })
  return () => signal.removeEventListener?.('abort', stop)
}
