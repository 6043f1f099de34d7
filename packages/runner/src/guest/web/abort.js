import { clearTimeout, setTimeout } from '../node/timers.js'
import { Event, EventTarget } from './event-target.js'

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

for (const type of [AbortController, AbortSignal]) {
  const tag = { value: type.name, configurable: true }
  Object.defineProperty(type.prototype, Symbol.toStringTag, tag)
}
