import { malformed } from './malformed.js'

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
