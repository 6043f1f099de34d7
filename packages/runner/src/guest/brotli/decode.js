import { transforms, words } from 'brotli:static-data'
import { encodeUtf8 } from '../web/utf8.js'
import { BitReader, malformed, Output, readPrefixCode } from './prefix-code.js'

/**
 * Decodes a Brotli stream (RFC 7932). Throws the errors of Node's zlib; `most` bounds the length.
 *
 * The package `brotli` (2.0.0) accepts streams that Node rejects, and reserves the whole window: up to 16 MB of the
 * sandbox's memory for a response of a kilobyte.
 */
export function decodeBrotli(bytes, most = Infinity) {
  const bits = new BitReader(bytes)
  const window = readWindow(bits)
  const output = new Output(most)
  const state = { recent: [16, 15, 11, 4], window, output, bits }
  for (;;) {
    const isLast = bits.read(1)
    if (isLast && bits.read(1)) return finish(state)
    const nibbles = bits.read(2) + 4
    if (nibbles === 7) {
      skipMetadata(bits)
      if (isLast) return finish(state)
      continue
    }
    let length = 1
    for (let at = 0; at < nibbles; at++) length += bits.read(4) * 2 ** (4 * at)
    if (!isLast && bits.read(1)) output.append(bits.readBytes(length))
    else decodeBlock(state, length)
    if (isLast) return finish(state)
  }
}

function finish({ bits, output }) {
  bits.endByte()
  return output.take()
}

// How an insert-and-copy symbol splits into two length codes, by its upper bits (RFC 7932 section 5).
const insertStarts = [0, 0, 0, 0, 8, 8, 0, 16, 8, 16, 16]
const copyStarts = [0, 8, 0, 8, 0, 8, 16, 0, 16, 8, 16]
const insertBits = [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24]
const copyBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24]
const blockBits = [
  2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 24,
]
const insertLengths = cumulated(0, insertBits)
const copyLengths = cumulated(2, copyBits)
const blockLengths = cumulated(1, blockBits)

function decodeBlock({ recent, window, output, bits }, length) {
  const head = readBlockHead(bits)
  const { literal, command, distance, literalMap, distanceMap, modes } = head
  const end = output.length + length
  while (output.length < end) {
    const symbol = head.commandCodes[command.next()].read(bits)
    const cell = symbol >> 6
    const insert = insertStarts[cell] + ((symbol >> 3) & 7)
    const copy = copyStarts[cell] + (symbol & 7)
    let inserted = insertLengths[insert] + bits.read(insertBits[insert])
    const copied = copyLengths[copy] + bits.read(copyBits[copy])
    if (output.length + inserted > end) throw malformed()
    for (; inserted > 0; inserted--) {
      const type = literal.next()
      const context = literalContext(modes[type], output.back(1), output.back(2))
      output.push(head.literalCodes[literalMap[64 * type + context]].read(bits))
    }
    if (output.length === end) return
    let code = 0
    if (cell >= 2) {
      const context = copied > 4 ? 3 : copied - 2
      code = head.distanceCodes[distanceMap[4 * distance.next() + context]].read(bits)
    }
    const far = readDistance(bits, head, recent, code)
    const reach = Math.min(window, output.length)
    if (far > reach) output.append(dictionaryWord(copied, far - reach - 1))
    else {
      if (code > 0) recent.push(far)
      if (recent.length > 4) recent.shift()
      output.repeat(far, copied)
    }
    if (output.length > end) throw malformed()
  }
}

// RFC 7932 section 9.2.
function readBlockHead(bits) {
  const literal = readBlockTypes(bits)
  const command = readBlockTypes(bits)
  const distance = readBlockTypes(bits)
  const postfix = bits.read(2)
  const direct = bits.read(4) << postfix
  const modes = Array.from({ length: literal.types }, () => bits.read(2))
  const literals = readContextMap(bits, 64 * literal.types)
  const distances = readContextMap(bits, 4 * distance.types)
  const codes = (count, size) => Array.from({ length: count }, () => readPrefixCode(bits, size))
  return {
    literal,
    command,
    distance,
    postfix,
    direct,
    modes,
    literalMap: literals.map,
    distanceMap: distances.map,
    literalCodes: codes(literals.trees, 256),
    commandCodes: codes(command.types, 704),
    distanceCodes: codes(distances.trees, 16 + direct + (48 << postfix)),
  }
}

// The block types of one category and their switches (RFC 7932 section 6).
function readBlockTypes(bits) {
  const types = readCount(bits)
  if (types === 1) return { types, next: () => 0 }
  const typeCode = readPrefixCode(bits, types + 2)
  const lengthCode = readPrefixCode(bits, 26)
  let left = readBlockLength(bits, lengthCode)
  let current = 0
  let previous = 1
  function next() {
    if (left === 0) {
      const symbol = typeCode.read(bits)
      const type = symbol === 0 ? previous : symbol === 1 ? (current + 1) % types : symbol - 2
      previous = current
      current = type
      left = readBlockLength(bits, lengthCode)
    }
    left--
    return current
  }
  return { types, next }
}

function readBlockLength(bits, code) {
  const symbol = code.read(bits)
  return blockLengths[symbol] + bits.read(blockBits[symbol])
}

// RFC 7932 section 4: `recent` has the last four distances, the newest at its end.
function readDistance(bits, { postfix, direct }, recent, code) {
  if (code < 16) {
    const from = code < 4 ? 4 - (code + 1) : code < 10 ? 3 : 2
    const step = code < 4 ? 0 : (((code - 4) % 6) >> 1) + 1
    const far = recent[from] + (code & 1 ? step : -step)
    if (far <= 0) throw malformed()
    return far
  }
  if (code < 16 + direct) return code - 15
  const rest = code - direct - 16
  const width = 1 + (rest >> (postfix + 1))
  const high = rest >> postfix
  const low = rest & ((1 << postfix) - 1)
  const offset = (2 + (high & 1)) * 2 ** width - 4
  return (offset + bits.read(width)) * 2 ** postfix + low + direct + 1
}

// RFC 7932 section 9.1, WBITS.
function readWindow(bits) {
  let exponent = 16
  if (bits.read(1)) {
    const high = bits.read(3)
    const low = high === 0 ? bits.read(3) : 0
    if (high === 0 && low === 1) throw malformed()
    exponent = high ? 17 + high : low ? 8 + low : 17
  }
  return 2 ** exponent - 16
}

function skipMetadata(bits) {
  if (bits.read(1)) throw malformed()
  const count = bits.read(2)
  let length = count ? 1 : 0
  for (let at = 0; at < count; at++) length += bits.read(8) * 2 ** (8 * at)
  bits.readBytes(length)
}

function cumulated(start, widths) {
  let sum = start
  return widths.map((width) => {
    const value = sum
    sum += 2 ** width
    return value
  })
}

const runs = (pairs) => Uint8Array.from(pairs.flatMap(([value, count]) => Array(count).fill(value)))
const upper = [
  12, 48, 52, 52, 52, 48, 52, 52, 52, 48, 52, 52, 52, 52, 52, 48, 52, 52, 52, 52, 52, 48,
]
const letters = [...upper, 52, 52, 52, 52, 52, 24, 12, 28, 12, 12]
const utf8Last = Uint8Array.from([
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 0, 0, 4, 0, 0],
  ...Array(16).fill(0),
  ...[8, 12, 16, 12, 12, 20, 12, 16, 24, 28, 12, 12, 32, 12, 36, 12],
  ...[44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 32, 32, 24, 40, 28, 12],
  ...letters,
  ...letters.map((value, at) => (value >= 48 ? value + 8 : at === 31 ? 0 : value)),
  ...Array.from({ length: 64 }, (_, at) => at & 1),
  ...Array.from({ length: 64 }, (_, at) => 2 + (at & 1)),
])
const utf8Before = runs([
  [0, 33],
  [1, 15],
  [2, 10],
  [1, 7],
  [2, 26],
  [1, 6],
  [3, 26],
  [1, 4],
  [0, 97],
  [2, 32],
])
const signed = runs([
  [0, 1],
  [1, 15],
  [2, 48],
  [3, 64],
  [4, 64],
  [5, 48],
  [6, 15],
  [7, 1],
])

/** The context of a literal, from the two bytes before it (RFC 7932 section 7.1). */
function literalContext(mode, last, before) {
  if (mode === 0) return last & 63
  if (mode === 1) return last >> 2
  if (mode === 2) return utf8Last[last] | utf8Before[before]
  return (signed[last] << 3) | signed[before]
}

/** Reads a context map (RFC 7932 section 7.3). Answers how many trees it names, and the map. */
function readContextMap(bits, size) {
  const map = new Uint8Array(size)
  const trees = readCount(bits)
  if (trees === 1) return { map, trees }
  const longestRun = bits.read(1) ? bits.read(4) + 1 : 0
  const code = readPrefixCode(bits, trees + longestRun)
  for (let at = 0; at < size; ) {
    const symbol = code.read(bits)
    if (symbol > longestRun) map[at++] = symbol - longestRun
    else if (symbol === 0) at++
    else at += (1 << symbol) + bits.read(symbol)
    if (at > size) throw malformed()
  }
  if (bits.read(1)) moveToFront(map)
  return { map, trees }
}

/** A number from 1 to 256 (RFC 7932 section 9.2, NBLTYPES). */
function readCount(bits) {
  if (bits.read(1) === 0) return 1
  const width = bits.read(3)
  return (1 << width) + bits.read(width) + 1
}

function moveToFront(map) {
  const list = Array.from({ length: 256 }, (_, at) => at)
  for (let at = 0; at < map.length; at++) {
    const [value] = list.splice(map[at], 1)
    map[at] = value
    list.unshift(value)
  }
}

const sizeBits = [
  0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5,
]
const offsets = sizeBits.map((_, length) =>
  sizeBits.slice(0, length).reduce((sum, bits, at) => sum + (bits ? at * 2 ** bits : 0), 0),
)

/** A word of the static dictionary, transformed (RFC 7932 section 8). */
function dictionaryWord(length, number) {
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
