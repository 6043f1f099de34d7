import { post } from '../bindings/post.js'

const { apply } = Reflect
const { fromCharCode } = String
const chunk = 2048
/** Below it, the way to the host takes longer than a look at the text. */
const worthAPost = 512
const outsideAscii = /[^\0-\x7f]/

/** Bytes as UTF-8, with U+FFFD for what is not (WHATWG Encoding section 8.1.1). */
export function decodeUtf8(bytes) {
  if (bytes.length < worthAPost) {
    const text = decodeLatin1(bytes)
    if (!outsideAscii.test(text)) return text
  }
  return decode('utf-8', bytes, false)
}

/**
 * Bytes as text, by the host: a loop here is ten times slower. `label` is utf-8, utf-16le or windows-1252. Undefined: `fatal`,
 * and they are not valid.
 */
export function decode(label, bytes, fatal) {
  const { buffer, byteOffset, byteLength } = bytes
  const isWhole = byteLength === buffer.byteLength
  const part = isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)
  const decoded = post('decode', fatal ? 1 : 0, label, part)
  // Texts with U+0000 come as UTF-16.
  return typeof decoded === 'object' ? decodeLatin1(new Uint16Array(decoded)) : decoded
}

/** Each byte, or each unit of UTF-16, as the character of its number. */
export function decodeLatin1(bytes) {
  let text = ''
  for (let at = 0; at < bytes.length; at += chunk) {
    text += apply(fromCharCode, undefined, bytes.subarray(at, at + chunk))
  }
  return text
}

/** Text as UTF-8; lone surrogates become U+FFFD. */
export function encodeUtf8(text) {
  const units = outsideAscii.test(text) ? unescape(encodeURIComponent(text.toWellFormed())) : text
  const bytes = new Uint8Array(units.length)
  for (let at = 0; at < units.length; at++) bytes[at] = units.charCodeAt(at)
  return bytes
}

/** An ArrayBuffer or a view as bytes, without a copy; undefined for anything else. */
export function viewOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source)
  if (!ArrayBuffer.isView(source)) return undefined
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
}

/** All chunks, which may be texts, in one Uint8Array. */
export function concat(chunks) {
  const parts = chunks.map((chunk) => (typeof chunk === 'string' ? encodeUtf8(chunk) : chunk))
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Everything that a stream of bytes or texts gives. */
export async function collect(source) {
  const chunks = []
  for await (const chunk of source) chunks.push(chunk)
  return concat(chunks)
}
