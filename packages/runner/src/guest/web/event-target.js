import { clearTimeout, setTimeout } from '../node/timers.js'
import { tag } from '../properties.js'

const listeners = Symbol('listeners')

/** DOM events as Node has them: no tree, so no capture and bubbling. */
export class Event {
  #flags
  constructor(type, options) {
    this.#flags = {
      bubbles: !!options?.bubbles,
      cancelable: !!options?.cancelable,
      prevented: false,
    }
    this.type = String(type)
    this.target = null
    this.currentTarget = null
    this.timeStamp = performance.now()
    this.stopped = false
  }
  get bubbles() {
    return this.#flags.bubbles
  }
  get cancelable() {
    return this.#flags.cancelable
  }
  get defaultPrevented() {
    return this.#flags.prevented
  }
  get srcElement() {
    return this.target
  }
  preventDefault() {
    this.#flags.prevented = this.#flags.cancelable
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.stopped = true
  }
  composedPath() {
    return this.currentTarget ? [this.currentTarget] : []
  }
}

export class CustomEvent extends Event {
  constructor(type, options) {
    super(type, options)
    this.detail = options?.detail ?? null
  }
}

export class EventTarget {
  constructor() {
    Object.defineProperty(this, listeners, { value: new Map() })
  }
  addEventListener(type, listener, options) {
    if (!listener || options?.signal?.aborted) return
    const list = this[listeners].get(type) ?? []
    if (list.some((entry) => entry.listener === listener)) return
    this[listeners].set(type, [...list, { listener, once: !!options?.once }])
    options?.signal?.addEventListener('abort', () => this.removeEventListener(type, listener))
  }
  removeEventListener(type, listener) {
    const list = this[listeners].get(type) ?? []
    this[listeners].set(
      type,
      list.filter((entry) => entry.listener !== listener),
    )
  }
  dispatchEvent(event) {
    event.target = this
    event.currentTarget = this
    const handler = this[`on${event.type}`]
    if (typeof handler === 'function') handler.call(this, event)
    for (const { listener, once } of this[listeners].get(event.type) ?? []) {
      if (event.stopped) break
      if (once) this.removeEventListener(event.type, listener)
      if (typeof listener === 'function') listener.call(this, event)
      else listener.handleEvent(event)
    }
    event.currentTarget = null
    return !event.defaultPrevented
  }
}

const construct = Symbol('construct')
const abort = Symbol('abort')

export class AbortSignal extends EventTarget {
  #reason
  #aborted = false
  constructor(key) {
    if (key !== construct) throw new TypeError('Illegal constructor')
    super()
    this.onabort = null
  }
  get aborted() {
    return this.#aborted
  }
  get reason() {
    return this.#reason
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason
  }
  [abort](reason) {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason ?? new DOMException('This operation was aborted', 'AbortError')
    this.dispatchEvent(new Event('abort'))
  }
  static abort(reason) {
    const signal = new AbortSignal(construct)
    signal[abort](reason)
    return signal
  }
  static timeout(delay) {
    const signal = new AbortSignal(construct)
    const message = 'The operation was aborted due to timeout'
    const timer = setTimeout(() => signal[abort](new DOMException(message, 'TimeoutError')), delay)
    signal.addEventListener('abort', () => clearTimeout(timer))
    return signal
  }
  static any(signals) {
    const signal = new AbortSignal(construct)
    for (const source of signals) {
      if (source.aborted) signal[abort](source.reason)
      else source.addEventListener('abort', () => signal[abort](source.reason))
    }
    return signal
  }
}

export class AbortController {
  #signal = new AbortSignal(construct)
  get signal() {
    return this.#signal
  }
  abort(reason) {
    this.#signal[abort](reason)
  }
}

tag(AbortController, AbortSignal)

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
