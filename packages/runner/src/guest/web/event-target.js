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
