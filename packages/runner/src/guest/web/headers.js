import { validateHeaderName, validateHeaderValue } from '../net/headers.js'
import { tag } from '../properties.js'

const spelled = Symbol('spelled')

/** Headers of the Fetch standard. They also keep the spelling that was set first, since Node sends that. */
export class Headers {
  #entries = new Map()
  constructor(init) {
    if (init === undefined || init === null) return
    if (typeof init !== 'object') throw invalid('Headers constructor: init is not an object')
    const pairs = Symbol.iterator in init ? init : Object.entries(init)
    for (const pair of pairs) {
      const [name, value, ...more] = pair
      if (value === undefined && !(1 in pair))
        throw invalid('Headers constructor: a pair needs two items')
      if (more.length > 0) throw invalid('Headers constructor: a pair needs two items')
      this.append(name, value)
    }
  }
  append(name, value) {
    const { key, text } = checked('append', name, value)
    const known = this.#entries.get(key)
    if (known) known.values.push(text)
    else this.#entries.set(key, { name: `${name}`, values: [text] })
  }
  set(name, value) {
    const { key, text } = checked('set', name, value)
    this.#entries.set(key, { name: `${name}`, values: [text] })
  }
  get(name) {
    const known = this.#entries.get(checked('get', name).key)
    return known ? joined(known, name) : null
  }
  has(name) {
    return this.#entries.has(checked('has', name).key)
  }
  delete(name) {
    this.#entries.delete(checked('delete', name).key)
  }
  getSetCookie() {
    return [...(this.#entries.get('set-cookie')?.values ?? [])]
  }
  forEach(visit, self) {
    if (typeof visit !== 'function')
      throw invalid('Headers.forEach: the argument is not a function')
    for (const [name, value] of this) visit.call(self, value, name, this)
  }
  *entries() {
    for (const key of [...this.#entries.keys()].sort()) {
      const known = this.#entries.get(key)
      if (key !== 'set-cookie') yield [key, joined(known, key)]
      else for (const value of known.values) yield [key, value]
    }
  }
  *keys() {
    for (const [name] of this.entries()) yield name
  }
  *values() {
    for (const [, value] of this.entries()) yield value
  }
  [Symbol.iterator]() {
    return this.entries()
  }
  [spelled]() {
    const headers = Object.create(null)
    for (const { name, values } of this.#entries.values()) headers[name] = joined({ values }, name)
    return headers
  }
}

tag(Headers)

/** Names as they were spelled, with their values joined. */
export function spelledHeaders(headers) {
  return headers[spelled]()
}

function checked(method, name, value) {
  const text = value === undefined && method !== 'set' && method !== 'append' ? '' : `${value}`
  const trimmed = text.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '')
  try {
    validateHeaderName(`${name}`)
  } catch {
    throw invalid(`Headers.${method}: "${name}" is an invalid header name.`)
  }
  try {
    validateHeaderValue(`${name}`, trimmed)
  } catch {
    throw invalid(`Headers.${method}: "${trimmed}" is an invalid header value.`)
  }
  return { key: `${name}`.toLowerCase(), text: trimmed }
}

function joined({ values }, name) {
  return values.join(`${name}`.toLowerCase() === 'cookie' ? '; ' : ', ')
}

function invalid(message) {
  return new TypeError(message)
}
