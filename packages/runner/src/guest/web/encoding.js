import { TransformStream } from 'web-streams-polyfill'
import { Buffer } from '../node/buffer.js'
import { decodeUtf8, encodeUtf8 } from './utf8.js'

const labels = {
  'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
  'windows-1252': `ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1
    iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252`,
  'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
}
const encodingOf = new Map(
  Object.entries(labels).flatMap(([name, list]) => list.split(/\s+/).map((label) => [label, name])),
)
// What windows-1252 has at 0x80 to 0x9f (WHATWG Encoding, index-windows-1252).
const upper = [
  0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152,
  0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122,
  0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
]

/** TextEncoder of the WHATWG Encoding standard. */
export class TextEncoder {
  get encoding() {
    return 'utf-8'
  }
  encode(text = '') {
    return encodeUtf8(`${text}`)
  }
  encodeInto(text, target) {
    let read = 0
    let written = 0
    for (const character of `${text}`) {
      const bytes = this.encode(character)
      if (written + bytes.length > target.length) break
      target.set(bytes, written)
      written += bytes.length
      read += character.length
    }
    return { read, written }
  }
}

/** TextDecoder of the WHATWG Encoding standard, for UTF-8, UTF-16LE and windows-1252 with its other names. */
export class TextDecoder {
  #encoding
  #fatal
  #ignoreBOM
  #rest = new Uint8Array(0)
  #started = false
  constructor(label = 'utf-8', options = {}) {
    const name = encodingOf.get(`${label}`.trim().toLowerCase())
    if (!name) {
      const error = new RangeError(`The "${label}" encoding is not supported`)
      throw Object.assign(error, { code: 'ERR_ENCODING_NOT_SUPPORTED' })
    }
    this.#encoding = name
    this.#fatal = !!options?.fatal
    this.#ignoreBOM = !!options?.ignoreBOM
  }
  get encoding() {
    return this.#encoding
  }
  get fatal() {
    return this.#fatal
  }
  get ignoreBOM() {
    return this.#ignoreBOM
  }
  decode(input, options) {
    const bytes = joined(this.#rest, viewOf(input))
    const stream = !!options?.stream
    const kept = stream ? unfinished(bytes, this.#encoding) : 0
    const whole = bytes.subarray(0, bytes.length - kept)
    this.#rest = bytes.slice(bytes.length - kept)
    let text = this.#decodeWhole(whole)
    if (
      !this.#started &&
      !this.#ignoreBOM &&
      this.#encoding !== 'windows-1252' &&
      text[0] === '\ufeff'
    ) {
      text = text.slice(1)
    }
    this.#started = stream && (this.#started || whole.length > 0)
    return text
  }
  #decodeWhole(bytes) {
    if (this.#encoding === 'windows-1252') return decodeWindows1252(bytes)
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const text = this.#encoding === 'utf-8' ? decodeUtf8(bytes) : decodeUtf16(buffer)
    if (this.#fatal && !isExact(text, buffer, this.#encoding)) {
      const error = new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`)
      throw Object.assign(error, { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' })
    }
    return text
  }
}

for (const type of [TextEncoder, TextDecoder]) {
  const tag = { value: type.name, configurable: true }
  Object.defineProperty(type.prototype, Symbol.toStringTag, tag)
}

function viewOf(input) {
  if (input === undefined) return new Uint8Array(0)
  if (ArrayBuffer.isView(input))
    return new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
  return new Uint8Array(input)
}

function joined(first, second) {
  if (first.length === 0) return second
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

// How many bytes at the end begin a character whose rest may follow.
function unfinished(bytes, encoding) {
  if (encoding === 'windows-1252') return 0
  if (encoding === 'utf-16le') {
    const odd = bytes.length % 2
    const high = bytes[bytes.length - odd - 1]
    return high >= 0xd8 && high <= 0xdb ? odd + 2 : odd
  }
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

function decodeWindows1252(bytes) {
  let text = ''
  for (const byte of bytes) {
    text += String.fromCharCode(byte >= 0x80 && byte <= 0x9f ? upper[byte - 0x80] : byte)
  }
  return text
}

function decodeUtf16(buffer) {
  const text = buffer.toString('utf16le').toWellFormed()
  return buffer.length % 2 ? `${text}\ufffd` : text
}

function isExact(text, buffer, encoding) {
  return Buffer.from(text, encoding).equals(buffer)
}

/** Text to UTF-8 bytes, as a stream. */
export class TextEncoderStream extends TransformStream {
  constructor() {
    const encoder = new TextEncoder()
    super({ transform: (chunk, controller) => controller.enqueue(encoder.encode(chunk)) })
  }
}

/** Bytes to text, as a stream; characters may be split between chunks. */
export class TextDecoderStream extends TransformStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options)
    super({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true })
        if (text) controller.enqueue(text)
      },
      flush(controller) {
        const text = decoder.decode()
        if (text) controller.enqueue(text)
      },
    })
  }
}
