import stream from 'node:stream'
import EventEmitter from 'events'
import statusCodes from 'statuses/codes.json'
import { joinHeaders } from './headers.js'

/** A response whose body is already here; it still reads like Node's. */
export class IncomingMessage extends stream.Readable {
  #body
  constructor(socket, response, bytes) {
    super()
    this.socket = socket
    this.connection = socket
    this.httpVersion = '1.1'
    this.httpVersionMajor = 1
    this.httpVersionMinor = 1
    this.complete = false
    this.aborted = false
    this.url = ''
    this.method = null
    this.statusCode = response?.status ?? null
    this.statusMessage = response?.statusText || statusCodes[this.statusCode] || ''
    this.rawHeaders = response?.rawHeaders ?? []
    this.headers = joinHeaders(this.rawHeaders)
    this.trailers = {}
    this.rawTrailers = []
    this.#body = bytes ? Buffer.from(bytes) : null
  }
  get headersDistinct() {
    const distinct = {}
    for (let at = 0; at + 1 < this.rawHeaders.length; at += 2) {
      const name = this.rawHeaders[at].toLowerCase()
      distinct[name] = [...(distinct[name] ?? []), this.rawHeaders[at + 1]]
    }
    return distinct
  }
  setTimeout(_milliseconds, callback) {
    if (callback) this.on('timeout', callback)
    return this
  }
  _read() {
    this.complete = true
    const body = this.#body
    this.#body = null
    if (body?.length) this.push(body)
    this.push(null)
  }
  _destroy(error, callback) {
    if (!this.readableEnded && !this.complete) {
      this.aborted = true
      this.emit('aborted')
    }
    this.#body = null
    // As in Node: nobody has to listen for errors of a response that is given up.
    callback(this.listenerCount('error') > 0 ? error : null)
  }
}

/** Stands in for the socket of a request: something to set options on. No bytes pass through it. */
export class FakeSocket extends EventEmitter {
  constructor(encrypted) {
    super()
    this.encrypted = encrypted
    this.authorized = encrypted
    this.connecting = false
    this.destroyed = false
    this.readable = true
    this.writable = true
    this.bytesRead = 0
    this.bytesWritten = 0
  }
  setKeepAlive() {
    return this
  }
  setNoDelay() {
    return this
  }
  setTimeout() {
    return this
  }
  ref() {
    return this
  }
  unref() {
    return this
  }
  cork() {}
  uncork() {}
  pause() {
    return this
  }
  resume() {
    return this
  }
  address() {
    return {}
  }
  end() {
    return this
  }
  destroy() {
    this.destroyed = true
    return this
  }
}
