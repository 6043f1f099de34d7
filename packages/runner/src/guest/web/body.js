import { ReadableStream } from 'web-streams-polyfill'
import { apply, parseJson } from '../bindings/primordials.js'
import { Blob, blobBytes, concat, streamOf } from './blob.js'
import { FormData } from './form-data.js'
import { decodeForm, encodeMultipart } from './multipart.js'
import { decodeUtf8, encodeUtf8 } from './utf8.js'

/** What fetch accepts as a body, as `{ bytes?, stream?, type? }` (Fetch standard, "extract a body"). */
export function extractBody(source) {
  if (source instanceof ReadableStream || isAsyncIterable(source)) {
    return { stream: source instanceof ReadableStream ? source : ReadableStream.from(source) }
  }
  if (source instanceof FormData) return encodeMultipart(source)
  if (source instanceof URLSearchParams) {
    const type = 'application/x-www-form-urlencoded;charset=UTF-8'
    return { bytes: encodeUtf8(source.toString()), type }
  }
  if (source instanceof Blob) return { bytes: blobBytes(source), type: source.type || undefined }
  if (source instanceof ArrayBuffer) return { bytes: new Uint8Array(source.slice(0)) }
  if (ArrayBuffer.isView(source)) {
    return { bytes: new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice() }
  }
  return { bytes: encodeUtf8(`${source}`), type: 'text/plain;charset=UTF-8' }
}

/** What Request and Response share: one body, read once. */
export class Body {
  #content
  #stream
  #used = false
  constructor(content) {
    this.#content = content
    if (content?.stream) this.#stream = content.stream
  }
  get body() {
    if (!this.#content) return null
    this.#stream ??= streamOf(this.#content.bytes)
    return this.#stream
  }
  get bodyUsed() {
    return this.#used || !!this.#stream?.locked
  }
  async bytes() {
    if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read')
    if (!this.#content) return new Uint8Array(0)
    this.#used = true
    if (!this.#stream) return this.#content.bytes
    const chunks = []
    for await (const chunk of this.#stream)
      chunks.push(typeof chunk === 'string' ? encodeUtf8(chunk) : chunk)
    return concat(chunks)
  }
  async arrayBuffer() {
    const bytes = await this.bytes()
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  }
  async text() {
    const text = decodeUtf8(await this.bytes())
    return text[0] === '\ufeff' ? text.slice(1) : text
  }
  async json() {
    return apply(parseJson, undefined, [await this.text()])
  }
  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get('content-type') ?? '' })
  }
  async formData() {
    return decodeForm(await this.bytes(), this.headers.get('content-type') ?? '')
  }

  /** The content for a second reader; a stream is split. */
  copyContent() {
    if (this.bodyUsed) throw new TypeError('Response.clone: Body has already been consumed.')
    if (!this.#stream) return this.#content
    const [mine, theirs] = this.#stream.tee()
    this.#stream = mine
    return { ...this.#content, stream: theirs }
  }
}

function isAsyncIterable(source) {
  return typeof source === 'object' && typeof source?.[Symbol.asyncIterator] === 'function'
}
