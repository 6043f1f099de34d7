import { validateHeaderName, validateHeaderValue } from './header-rules.js'

/** The headers of one request: found by any spelling, sent in the one that was set. */
export class OutgoingHeaders {
  #entries = new Map()

  set(name, value, implied = false) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    this.#entries.set(name.toLowerCase(), { name, value, implied })
  }
  append(name, value) {
    const known = this.get(name)
    this.set(name, known === undefined ? value : [].concat(known, value))
  }
  /** Takes an object, a flat list or a list of pairs. */
  setAll(headers) {
    if (!Array.isArray(headers)) {
      for (const name of Object.keys(headers)) this.set(name, headers[name])
    } else if (Array.isArray(headers[0])) {
      for (const [name, value] of headers) this.set(name, value)
    } else {
      for (let at = 0; at + 1 < headers.length; at += 2) this.append(headers[at], headers[at + 1])
    }
  }
  get(name) {
    return this.#entries.get(String(name).toLowerCase())?.value
  }
  has(name) {
    return this.#entries.has(String(name).toLowerCase())
  }
  delete(name) {
    this.#entries.delete(String(name).toLowerCase())
  }
  names() {
    return [...this.#entries.keys()]
  }
  rawNames() {
    return [...this.#entries.values()].map(({ name }) => name)
  }
  toObject() {
    const headers = Object.create(null)
    for (const [name, { value }] of this.#entries) headers[name] = value
    return headers
  }
  /** What the bundle set itself: `Host` is the host's business unless the bundle chose it. */
  toSend() {
    const headers = Object.create(null)
    for (const { name, value, implied } of this.#entries.values()) {
      if (!implied) headers[name] = value
    }
    return headers
  }
}
