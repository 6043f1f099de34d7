import { malformed } from './malformed.js'

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
