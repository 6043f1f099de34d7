import { malformed } from './malformed.js'

const rootBits = 8
const lengthOrder = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]

/** A canonical prefix code (RFC 7932 section 3): a table for codes up to 8 bits, a walk for longer ones. */
export class PrefixCode {
  #table = new Int32Array(1 << rootBits).fill(-1)
  #first = new Int32Array(17)
  #count = new Int32Array(17)
  #offset = new Int32Array(17)
  #symbols
  #only
  constructor(lengths) {
    const used = []
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === 0) continue
      used.push(symbol)
      this.#count[lengths[symbol]]++
    }
    if (used.length === 1) this.#only = used[0]
    // Array sort is stable, so that equal lengths keep the order of symbols.
    this.#symbols = used.sort((a, b) => lengths[a] - lengths[b])
    let code = 0
    let offset = 0
    for (let length = 1; length <= 15; length++) {
      code = (code + this.#count[length - 1]) << 1
      this.#first[length] = code
      this.#offset[length] = offset
      if (length <= rootBits) this.#fill(length)
      offset += this.#count[length]
    }
  }

  /** The next symbol. */
  read(bits) {
    if (this.#only !== undefined) return this.#only
    const entry = this.#table[bits.peek(rootBits)]
    if (entry < 0) return this.#walk(bits)
    bits.skip(entry & 15)
    return entry >> 4
  }

  #walk(bits) {
    const word = bits.peek(15)
    let code = 0
    for (let length = 1; length <= 15; length++) {
      code = (code << 1) | ((word >> (length - 1)) & 1)
      const index = code - this.#first[length]
      if (index >= 0 && index < this.#count[length]) {
        bits.skip(length)
        return this.#symbols[this.#offset[length] + index]
      }
    }
    throw malformed()
  }
  #fill(length) {
    for (let index = 0; index < this.#count[length]; index++) {
      const start = reversed(this.#first[length] + index, length)
      const entry = (this.#symbols[this.#offset[length] + index] << 4) | length
      for (let at = start; at < 1 << rootBits; at += 1 << length) this.#table[at] = entry
    }
  }
}

/** Reads a prefix code for an alphabet (RFC 7932 sections 3.4 and 3.5). */
export function readPrefixCode(bits, alphabetSize) {
  const skipped = bits.read(2)
  return new PrefixCode(
    skipped === 1 ? simpleLengths(bits, alphabetSize) : codedLengths(bits, alphabetSize, skipped),
  )
}

function simpleLengths(bits, alphabetSize) {
  const width = 32 - Math.clz32(alphabetSize - 1)
  const count = bits.read(2) + 1
  const symbols = Array.from({ length: count }, () => bits.read(width))
  if (symbols.some((symbol) => symbol >= alphabetSize) || new Set(symbols).size < count) {
    throw malformed()
  }
  const shapes = [[1], [1, 1], [1, 2, 2], bits.peek(1) ? [1, 2, 3, 3] : [2, 2, 2, 2]]
  if (count === 4) bits.skip(1)
  const lengths = new Uint8Array(alphabetSize)
  for (const [at, symbol] of symbols.entries()) lengths[symbol] = shapes[count - 1][at]
  return lengths
}

function codedLengths(bits, alphabetSize, skipped) {
  const code = readLengthCode(bits, skipped)
  const lengths = new Uint8Array(alphabetSize)
  let space = 32768
  let previous = 8
  let at = 0
  let repeated = { symbol: 0, count: 0 }
  while (at < alphabetSize && space > 0) {
    const symbol = code.read(bits)
    if (symbol < 16) {
      lengths[at++] = symbol
      if (symbol) {
        previous = symbol
        space -= 32768 >> symbol
      }
      repeated = { symbol: 0, count: 0 }
      continue
    }
    const width = symbol - 14
    const before = repeated.symbol === symbol ? repeated.count : 0
    const count = (before ? (before - 2) << width : 0) + bits.read(width) + 3
    const fresh = count - before
    if (at + fresh > alphabetSize) throw malformed()
    if (symbol === 16) {
      lengths.fill(previous, at, at + fresh)
      space -= fresh * (32768 >> previous)
    }
    at += fresh
    repeated = { symbol, count }
  }
  if (space !== 0) throw malformed()
  return lengths
}

function readLengthCode(bits, skipped) {
  const lengths = new Uint8Array(18)
  let space = 32
  let used = 0
  for (let at = skipped; at < 18 && space > 0; at++) {
    const word = bits.peek(4)
    const [length, width] = lengthOfLength(word)
    bits.skip(width)
    lengths[lengthOrder[at]] = length
    if (length === 0) continue
    space -= 32 >> length
    used++
  }
  if (space !== 0 && used !== 1) throw malformed()
  return new PrefixCode(lengths)
}

// The fixed code of RFC 7932 section 3.5: 0 is 00, 3 is 01, 4 is 10, 2 is 011, 1 is 0111, 5 is 1111 (as read).
function lengthOfLength(word) {
  const low = word & 3
  if (low === 0) return [0, 2]
  if (low === 1) return [4, 2]
  if (low === 2) return [3, 2]
  if ((word & 4) === 0) return [2, 3]
  return (word & 8) === 0 ? [1, 4] : [5, 4]
}

function reversed(code, length) {
  let result = 0
  for (let bit = 0; bit < length; bit++) result |= ((code >> bit) & 1) << (length - 1 - bit)
  return result
}
