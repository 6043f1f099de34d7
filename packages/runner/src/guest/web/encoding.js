import { TransformStream } from 'web-streams-polyfill'
import { nodeError } from '../node/node-error.js'
import { tag } from '../properties.js'
import { concat, decode, decodeUtf8, encodeUtf8, viewOf } from './bytes.js'

const labels = {
  'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
  'windows-1252': `ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1
    iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252`,
  'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
}
const encodingOf = new Map(
  Object.entries(labels).flatMap(([name, list]) => list.split(/\s+/).map((label) => [label, name])),
)
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
      const message = `The "${label}" encoding is not supported`
      throw nodeError(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', message)
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
    const bytes = concat([this.#rest, viewOf(input) ?? new Uint8Array(input ?? 0)])
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
    if (this.#encoding === 'utf-8' && !this.#fatal) return decodeUtf8(bytes)
    const text = decode(this.#encoding, bytes, this.#fatal)
    if (text !== undefined) return text
    const message = `The encoded data was not valid for encoding ${this.#encoding}`
    throw nodeError(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', message)
  }
}

tag(TextEncoder, TextDecoder)

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
