import { Event, EventTarget } from './event-target.js'

/** MessagePort of the HTML standard, between two ends inside the sandbox. */
export class MessagePort extends EventTarget {
  #other
  #closed = false
  #onmessage = null
  /** Ties two ports together. */
  static tie(first, second) {
    first.#other = second
    second.#other = first
  }
  get onmessage() {
    return this.#onmessage
  }
  set onmessage(listener) {
    this.#onmessage = listener
  }
  postMessage(message) {
    const data = structuredClone(message)
    setImmediate(() => this.#other.#receive(data))
  }
  start() {}
  close() {
    this.#closed = true
  }
  ref() {}
  unref() {}
  on(type, listener) {
    this.addEventListener(type, (event) => listener(event.data))
    return this
  }
  #receive(data) {
    if (this.#closed) return
    const event = Object.assign(new Event('message'), { data })
    this.#onmessage?.call(this, event)
    this.dispatchEvent(event)
  }
}

export class MessageChannel {
  port1 = new MessagePort()
  port2 = new MessagePort()
  constructor() {
    MessagePort.tie(this.port1, this.port2)
  }
}

export class MessageEvent extends Event {
  constructor(type, init = {}) {
    super(type, init)
    this.data = init.data
  }
}
