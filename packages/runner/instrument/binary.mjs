// Reading and writing the WebAssembly binary format (core specification, section 5).

/** A position in bytes, with readers for the format's numbers. */
export class ByteReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  get isAtEnd() {
    return this.at >= this.bytes.length
  }

  byte() {
    return this.bytes[this.at++]
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  u32() {
    let result = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      result += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return result
    }
  }

  /** Skips a LEB128 number of any width. */
  skipLeb() {
    while (this.byte() >= 0x80);
  }

  /** @param {number} length */
  take(length) {
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /**
   * @template T
   * @param {() => T} readOne
   */
  vector(readOne) {
    return Array.from({ length: this.u32() }, readOne)
  }
}

/**
 * Unsigned LEB128.
 *
 * @param {number} value
 * @returns {number[]}
 */
export function u32(value) {
  const bytes = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) | 0x80)
  }
}

/**
 * Signed LEB128 of an unsigned 32-bit constant, as `i32.const` expects it.
 *
 * @param {number} value
 * @returns {number[]}
 */
export function s32(value) {
  const bytes = []
  for (let rest = value | 0; ; rest >>= 7) {
    const isLast = rest < 64 && rest >= -64
    if (isLast) return [...bytes, rest & 0x7f]
    bytes.push((rest & 0x7f) | 0x80)
  }
}

/** @param {string} text */
export function name(text) {
  const bytes = new TextEncoder().encode(text)
  return [...u32(bytes.length), ...bytes]
}

/**
 * Splits a module into its sections.
 *
 * @param {Uint8Array} module
 * @returns {{ id: number, bytes: Uint8Array }[]}
 */
export function readSections(module) {
  const reader = new ByteReader(module, HEADER_BYTES)
  const sections = []
  while (!reader.isAtEnd) {
    const id = reader.byte()
    sections.push({ id, bytes: reader.take(reader.u32()) })
  }
  return sections
}

/**
 * @param {Uint8Array} module the module that the header is copied from
 * @param {{ id: number, bytes: Uint8Array }[]} sections
 */
export function writeModule(module, sections) {
  const parts = [module.subarray(0, HEADER_BYTES)]
  for (const { id, bytes } of sections)
    parts.push(Uint8Array.from([id, ...u32(bytes.length)]), bytes)
  return new Uint8Array(Buffer.concat(parts))
}

const HEADER_BYTES = 8
