import { post } from '../bindings/post.js'

const { apply } = Reflect
const { fromCharCode } = String
const chunk = 2048
/** Below it, the way to the host takes longer than the decoding. */
const worthAPost = 512
const outsideAscii = /[^\0-\x7f]/

/** Bytes as UTF-8, with U+FFFD for what is not (WHATWG Encoding section 8.1.1). The host decodes long texts, and the engine's own functions the others: a loop here is ten times slower. */
export function decodeUtf8(bytes) {
  if (bytes.length >= worthAPost) {
    const { buffer, byteOffset, byteLength } = bytes
    const isWhole = byteLength === buffer.byteLength
    const decoded = post(
      'decode',
      0,
      undefined,
      isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength),
    )
    if (typeof decoded === 'string') return decoded
  }
  const text = decodeLatin1(bytes)
  if (!outsideAscii.test(text)) return text
  try {
    return decodeURIComponent(escape(text))
  } catch {
    return decodeSlowly(bytes)
  }
}

/** Each byte as the character of its number. */
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

function decodeSlowly(bytes) {
  let text = ''
  let needed = 0
  let point = 0
  let lower = 0x80
  let upper = 0xbf
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (needed > 0) {
      const fits = byte >= lower && byte <= upper
      lower = 0x80
      upper = 0xbf
      if (!fits) {
        needed = 0
        text += '\ufffd'
        at--
        continue
      }
      point = (point << 6) | (byte & 0x3f)
      needed--
      if (needed === 0) text += String.fromCodePoint(point)
    } else if (byte < 0x80) text += fromCharCode(byte)
    else if (byte >= 0xc2 && byte <= 0xf4) {
      needed = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1
      point = byte & (0x3f >> needed)
      if (byte === 0xe0) lower = 0xa0
      if (byte === 0xed) upper = 0x9f
      if (byte === 0xf0) lower = 0x90
      if (byte === 0xf4) upper = 0x8f
    } else text += '\ufffd'
  }
  return needed > 0 ? `${text}\ufffd` : text
}
