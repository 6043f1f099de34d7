import { ReadableStream } from 'web-streams-polyfill'
import { decodeUtf8, encodeUtf8 } from './utf8.js'

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

for (const type of [Blob, File]) {
  const tag = { value: type.name, configurable: true }
  Object.defineProperty(type.prototype, Symbol.toStringTag, tag)
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

/** All chunks in one Uint8Array. */
export function concat(chunks) {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function partBytes(part) {
  if (part instanceof Blob) return part[bytesKey]
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice(0))
  if (ArrayBuffer.isView(part)) {
    return new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice()
  }
  return encodeUtf8(`${part}`)
}
