import { Blob, File } from './blob.js'

/** FormData of the XMLHttpRequest standard. */
export class FormData {
  #entries = []
  constructor(form) {
    if (form !== undefined) throw new TypeError('FormData constructor: there are no forms here')
  }
  append(name, value, filename) {
    this.#entries.push([`${name}`.toWellFormed(), entryValue(value, filename)])
  }
  set(name, value, filename) {
    const at = this.#entries.findIndex(([known]) => known === `${name}`)
    if (at < 0) return this.append(name, value, filename)
    const rest = this.#entries.slice(at + 1).filter(([known]) => known !== `${name}`)
    this.#entries = [
      ...this.#entries.slice(0, at),
      [`${name}`, entryValue(value, filename)],
      ...rest,
    ]
  }
  get(name) {
    return this.#entries.find(([known]) => known === `${name}`)?.[1] ?? null
  }
  getAll(name) {
    return this.#entries.filter(([known]) => known === `${name}`).map(([, value]) => value)
  }
  has(name) {
    return this.#entries.some(([known]) => known === `${name}`)
  }
  delete(name) {
    this.#entries = this.#entries.filter(([known]) => known !== `${name}`)
  }
  forEach(visit, self) {
    for (const [name, value] of this) visit.call(self, value, name, this)
  }
  *entries() {
    for (const [name, value] of this.#entries) yield [name, value]
  }
  *keys() {
    for (const [name] of this.#entries) yield name
  }
  *values() {
    for (const [, value] of this.#entries) yield value
  }
  [Symbol.iterator]() {
    return this.entries()
  }
}

Object.defineProperty(FormData.prototype, Symbol.toStringTag, {
  value: 'FormData',
  configurable: true,
})

function entryValue(value, filename) {
  if (!(value instanceof Blob)) {
    if (filename !== undefined) throw new TypeError('FormData.append: a filename needs a Blob')
    return `${value}`.toWellFormed()
  }
  if (value instanceof File && filename === undefined) return value
  return new File([value], filename ?? 'blob', { type: value.type })
}
