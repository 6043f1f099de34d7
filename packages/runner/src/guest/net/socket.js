import EventEmitter from 'events'

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
