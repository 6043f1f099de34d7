import { brotliDecompressSync, constants } from 'node:zlib'

/**
 * The static dictionary and the word transforms of Brotli (RFC 7932, appendices A and B), extracted from Node's own
 * decoder at build time, with one command for every word that copies it, so that the sources contain no blob of 122 KB.
 * Prints `{ words, transforms }`: the dictionary as text of one character per byte, and triples of prefix, kind and
 * suffix.
 */
export function extractStaticData() {
  const words = allWords()
  if (crc32(words) !== dictionaryCrc) throw new Error('The extracted Brotli dictionary is wrong.')
  return { words: words.toString('latin1'), transforms: allTransforms(words) }
}

// RFC 7932 appendix A.
const dictionaryCrc = 0x5136cb04
const sizeBits = [
  0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5,
]
const transformCount = 121
// Copy length codes of RFC 7932 section 5: the shortest length, and how many extra bits follow.
const copyCodes = [
  [2, 0],
  [3, 0],
  [4, 0],
  [5, 0],
  [6, 0],
  [7, 0],
  [8, 0],
  [9, 0],
  [10, 1],
  [12, 1],
  [14, 2],
  [18, 2],
  [22, 3],
]

function allWords() {
  const stream = startStream()
  let produced = 0
  for (let length = 4; length <= 24; length++) {
    for (let index = 0; index < 2 ** sizeBits[length]; index++) {
      copyWord(stream, { length, index, produced, outputLength: length })
      produced += length
    }
  }
  stream.write(3, 2)
  return brotliDecompressSync(stream.finish())
}

// A word of twelve plain letters shows what each transform does to it.
function allTransforms(words) {
  const length = 12
  const step = 2 ** sizeBits[length]
  const start = sizeBits.reduce(
    (sum, bits, at) => sum + (bits && at < length ? at * 2 ** bits : 0),
    0,
  )
  const indices = Array.from({ length: step }, (_, index) => index)
  const word = (index) =>
    words.toString('latin1', start + index * length, start + (index + 1) * length)
  const plain = indices.find((index) => /^[a-z]+$/.test(word(index)))
  const finishFlush = constants.BROTLI_OPERATION_FLUSH
  return Array.from({ length: transformCount }, (_, transform) => {
    const stream = startStream()
    // The first changes nothing. For the others, the declared block is longer than the result of the transform, and the
    // stream ends early.
    const outputLength = transform === 0 ? length : 200
    copyWord(stream, { length, index: plain + transform * step, produced: 0, outputLength })
    const output = brotliDecompressSync(stream.finish(), { finishFlush }).toString('utf8')
    return explain(output, word(plain))
  })
}

// Kinds as in RFC 7932 appendix B: 0 identity, 1 to 9 omit last, 10 uppercase first, 11 all, 12 to 20 omit first.
function explain(output, word) {
  const kinds = [[0, word]]
  kinds.push([10, word[0].toUpperCase() + word.slice(1)], [11, word.toUpperCase()])
  for (let count = 1; count <= 9; count++) {
    kinds.push([count, word.slice(0, -count)], [11 + count, word.slice(count)])
  }
  const [kind, changed] = kinds.find(([, text]) => output.includes(text))
  const at = output.indexOf(changed)
  return [output.slice(0, at), kind, output.slice(at + changed.length)]
}

// A meta-block of one command: nothing inserted, one word of the dictionary copied (RFC 7932 sections 8 and 9.2).
function copyWord(stream, { length, index, produced, outputLength }) {
  const copy = copyCodes.findLastIndex(([shortest]) => shortest <= length)
  const [shortest, copyBits] = copyCodes[copy]
  const distance = produced + 1 + index
  const { code, bits, extra } = distanceCode(distance)
  stream.write(0, 3)
  stream.write(outputLength - 1, 16)
  // Not uncompressed, one block type each, no postfix, context mode 0, one tree each.
  stream.write(0, 1 + 3 + 6 + 2 + 2)
  for (const [symbol, width] of [
    [0, 8],
    [copy < 8 ? 128 + copy : 192 + (copy & 7), 10],
    [code, 6],
  ]) {
    stream.write(1, 4)
    stream.write(symbol, width)
  }
  stream.write(length - shortest, copyBits)
  stream.write(extra, bits)
}

function distanceCode(distance) {
  for (let code = 16; ; code++) {
    const bits = 1 + ((code - 16) >> 1)
    const extra = distance - 1 - (((2 + (code & 1)) << bits) - 4)
    if (extra >= 0 && extra < 2 ** bits) return { code, bits, extra }
  }
}

function startStream() {
  const bytes = []
  let at = 0
  const stream = {
    write(value, count) {
      for (let bit = 0; bit < count; bit++, at++) {
        if (at % 8 === 0) bytes.push(0)
        bytes[bytes.length - 1] |= ((value >> bit) & 1) << (at % 8)
      }
    },
    finish: () => Buffer.from(bytes),
  }
  // A window of 2^24 bytes.
  stream.write(15, 4)
  return stream
}

// Node has no crc32 of its own before 20.15.
function crc32(bytes) {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  }
  return ~crc >>> 0
}
