import { transforms, words } from 'brotli:static-data'
import { encodeUtf8 } from '../web/utf8.js'
import { malformed } from './malformed.js'

const sizeBits = [
  0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5,
]
const offsets = sizeBits.map((_, length) =>
  sizeBits.slice(0, length).reduce((sum, bits, at) => sum + (bits ? at * 2 ** bits : 0), 0),
)

/** A word of the static dictionary, transformed (RFC 7932 section 8). */
export function dictionaryWord(length, number) {
  const bits = sizeBits[length]
  const transform = bits ? transforms[number >> bits] : undefined
  if (!transform) throw malformed()
  const start = offsets[length] + (number & ((1 << bits) - 1)) * length
  const [prefix, kind, suffix] = transform
  const word = changed(bytesAt(start, length), kind)
  return [...encodeUtf8(prefix), ...word, ...encodeUtf8(suffix)]
}

// The text has one character per byte: decoding all of it for one word would cost more than the rest of the stream.
function bytesAt(start, length) {
  return Uint8Array.from({ length }, (_, at) => words.charCodeAt(start + at))
}

// Kinds as `extract-static-data.mjs` numbers them.
function changed(word, kind) {
  if (kind < 10) return word.subarray(0, Math.max(0, word.length - kind))
  if (kind > 11) return word.subarray(Math.min(word.length, kind - 11))
  const upper = word.slice()
  for (let at = 0; at < upper.length; ) {
    at += raise(upper, at)
    if (kind === 10) break
  }
  return upper
}

// Uppercase as RFC 7932 section 8 has it: rough, and the same for every language.
function raise(word, at) {
  if (word[at] < 0xc0) {
    if (word[at] >= 0x61 && word[at] <= 0x7a) word[at] ^= 32
    return 1
  }
  if (word[at] < 0xe0) {
    if (at + 1 < word.length) word[at + 1] ^= 32
    return 2
  }
  if (at + 2 < word.length) word[at + 2] ^= 5
  return 3
}
