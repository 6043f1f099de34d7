import { ReadableStream } from 'web-streams-polyfill'
import { fillRandom } from '../bindings/random.js'
import { tag } from '../properties.js'
import { concat, decodeLatin1, decodeUtf8, encodeUtf8, viewOf } from './bytes.js'

const bytesKey = Symbol('bytes')

/** A Blob of the W3C File API whose bytes are all in memory. */
export class Blob {
  constructor(parts = [], options = {}) {
    if (parts === null || typeof parts !== 'object' || !(Symbol.iterator in parts)) {
      throw new TypeError('The "sources" argument must be a sequence')
    }
    const type = `${options?.type ?? ''}`
    Object.defineProperty(this, bytesKey, { value: concat([...parts].map(partBytes)) })
    Object.defineProperty(this, 'type', {
      value: /[^\x20-\x7e]/.test(type) ? '' : type.toLowerCase(),
    })
  }
  get size() {
    return this[bytesKey].length
  }
  slice(start, end, type = '') {
    return new Blob([this[bytesKey].slice(start, end)], { type })
  }
  async text() {
    const text = decodeUtf8(this[bytesKey])
    return text[0] === '\ufeff' ? text.slice(1) : text
  }
  async arrayBuffer() {
    return this[bytesKey].slice().buffer
  }
  async bytes() {
    return this[bytesKey].slice()
  }
  stream() {
    return streamOf(this[bytesKey].slice())
  }
}

export class File extends Blob {
  constructor(parts, name, options = {}) {
    super(parts, options)
    const lastModified = options?.lastModified ?? Date.now()
    Object.defineProperty(this, 'name', { value: `${name}`, enumerable: true })
    Object.defineProperty(this, 'lastModified', { value: lastModified, enumerable: true })
  }
}

/** The bytes of a Blob, without a promise. */
export function blobBytes(blob) {
  return blob[bytesKey]
}

/** A stream of one chunk. */
export function streamOf(bytes) {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
      controller.close()
    },
  })
}

function partBytes(part) {
  return part instanceof Blob ? part[bytesKey] : (viewOf(part)?.slice() ?? encodeUtf8(`${part}`))
}

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

tag(Blob, File, FormData)

function entryValue(value, filename) {
  if (!(value instanceof Blob)) {
    if (filename !== undefined) throw new TypeError('FormData.append: a filename needs a Blob')
    return `${value}`.toWellFormed()
  }
  if (value instanceof File && filename === undefined) return value
  return new File([value], filename ?? 'blob', { type: value.type })
}

/** A FormData as multipart/form-data (RFC 7578): its bytes and content type. */
export function encodeMultipart(form) {
  const digits = [...fillRandom(new Uint8Array(6))].map((byte) => `${byte % 100}`.padStart(2, '0'))
  const boundary = `----formdata-undici-0${digits.join('').slice(1)}`
  const chunks = []
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(normal(name))}"`
    if (value instanceof Blob) {
      const type = value.type || 'application/octet-stream'
      const file = `; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`
      chunks.push(`${head}${file}`, blobBytes(value), '\r\n')
    } else chunks.push(`${head}\r\n\r\n${normal(value)}\r\n`)
  }
  chunks.push(`--${boundary}--\r\n`)
  return { bytes: concat(chunks), type: `multipart/form-data; boundary=${boundary}` }
}

/** The FormData of a body in multipart/form-data or application/x-www-form-urlencoded; a TypeError for others. */
export function decodeForm(bytes, type) {
  const form = new FormData()
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    for (const [name, value] of new URLSearchParams(decodeUtf8(bytes))) form.append(name, value)
    return form
  }
  const boundary = /^multipart\/form-data.*;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type)
  if (!boundary) throw new TypeError('Response.formData: Could not parse content as FormData.')
  for (const part of decodeLatin1(bytes)
    .split(`--${boundary[1] ?? boundary[2]}`)
    .slice(1, -1)) {
    const split = part.indexOf('\r\n\r\n')
    appendPart(form, fromLatin1(part.slice(2, split)), part.slice(split + 4, -2))
  }
  return form
}

function appendPart(form, head, body) {
  const name = unescapeName(/[; ]name="([^"]*)"/i.exec(head)?.[1] ?? '')
  const filename = /filename="([^"]*)"/i.exec(head)?.[1]
  if (filename === undefined) return form.append(name, fromLatin1(body))
  const type = /^content-type:\s*(.*)$/im.exec(head)?.[1]?.trim() ?? 'text/plain'
  const bytes = Uint8Array.from(body, (character) => character.charCodeAt(0))
  form.append(name, new File([bytes], unescapeName(filename), { type }))
}

function fromLatin1(text) {
  return decodeUtf8(Uint8Array.from(text, (character) => character.charCodeAt(0)))
}

function normal(text) {
  return text.replace(/\r?\n|\r/g, '\r\n')
}

function escapeName(name) {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

function unescapeName(name) {
  return name.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%22', '"')
}
