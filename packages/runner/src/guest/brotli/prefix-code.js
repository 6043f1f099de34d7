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

/** The error of Node's zlib for a Brotli stream that it cannot decode. */
export function malformed(message = 'Decompression failed') {
  const code = message === 'unexpected end of file' ? 'Z_BUF_ERROR' : 'ERR__ERROR_FORMAT'
  return Object.assign(new Error(message), { code, errno: -5 })
}

/** Reads a Brotli stream bit by bit, from the lowest bit of each byte (RFC 7932 section 1.5.1). */
export class BitReader {
  #bytes
  #at = 0
  #held = 0
  #count = 0
  constructor(bytes) {
    this.#bytes = bytes
  }
  /** The next `count` bits, 24 at most, without taking them; zeros stand for what is behind the end. */
  peek(count) {
    while (this.#count < count) {
      this.#held |= (this.#bytes[this.#at++] ?? 0) << this.#count
      this.#count += 8
    }
    return this.#held & ((1 << count) - 1)
  }
  skip(count) {
    this.#held >>>= count
    this.#count -= count
    if (this.#at - (this.#count >> 3) > this.#bytes.length)
      throw malformed('unexpected end of file')
  }
  read(count) {
    if (count === 0) return 0
    const value = this.peek(count)
    this.skip(count)
    return value
  }
  /** Takes what is left of this byte, which must be zeros. */
  endByte() {
    if (this.read(this.#count & 7) !== 0) throw malformed()
  }
  /** Whole bytes, from the next byte boundary. */
  readBytes(count) {
    this.endByte()
    const start = this.#at - (this.#count >> 3)
    if (start + count > this.#bytes.length) throw malformed('unexpected end of file')
    this.#at = start + count
    this.#held = 0
    this.#count = 0
    return this.#bytes.subarray(start, start + count)
  }
}

/** Bytes that grow, and look back at themselves. */
export class Output {
  #bytes = new Uint8Array(4096)
  #most
  length = 0
  constructor(most) {
    this.#most = most
  }
  /** The byte `distance` before the end; zero before the start. */
  back(distance) {
    return this.length < distance ? 0 : this.#bytes[this.length - distance]
  }
  push(byte) {
    this.#reserve(1)
    this.#bytes[this.length++] = byte
  }
  append(bytes) {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }
  /** Copies `count` bytes from `distance` back; they may overlap with what is being written. */
  repeat(distance, count) {
    this.#reserve(count)
    const start = this.length - distance
    if (count <= distance) this.#bytes.copyWithin(this.length, start, start + count)
    else for (let at = 0; at < count; at++) this.#bytes[this.length + at] = this.#bytes[start + at]
    this.length += count
  }
  take() {
    return this.#bytes.subarray(0, this.length)
  }
  #reserve(count) {
    const needed = this.length + count
    if (needed > this.#most) {
      const error = new RangeError(`Cannot create a Buffer larger than ${this.#most} bytes`)
      throw Object.assign(error, { code: 'ERR_BUFFER_TOO_LARGE' })
    }
    if (needed > 256 * 1024 * 1024) throw malformed()
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.length))
    this.#bytes = larger
  }
}
