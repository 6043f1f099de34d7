/**
 * The CRC-32 of a text followed by another of `length` bytes, from the CRC-32 of both. Tables for each length make it four
 * look-ups: lists are verified by the CRC-32 of their entries.
 */
export function createCrc32Combiner(): (crc: number, next: number, length: number) => number {
  const tables = new Map<number, Uint32Array>()
  return (crc, next, length) => {
    let shift = tables.get(length)
    if (shift === undefined && tables.size < MAX_TABLES) {
      shift = createShift(length)
      tables.set(length, shift)
    }
    // A table takes several times as long as one multiplication, and accounts may have any number of lengths.
    const shifted = shift === undefined ? multiply(raise(length), crc) : applyShift(shift, crc)
    return (shifted ^ next) >>> 0
  }
}

/** 1 MB, with one table of 4 kB for each length. */
const MAX_TABLES = 256

function applyShift(shift: Uint32Array, crc: number): number {
  return (
    at(shift, crc & 255) ^
    at(shift, 256 + ((crc >>> 8) & 255)) ^
    at(shift, 512 + ((crc >>> 16) & 255)) ^
    at(shift, 768 + (crc >>> 24))
  )
}

const at = (table: Uint32Array, index: number) => table[index] ?? 0

/** What `length` zero bytes do to a CRC-32: to each value of each of its four bytes. It is linear, so bits are added. */
function createShift(length: number): Uint32Array {
  const factor = raise(length)
  const shift = new Uint32Array(1024)
  for (let byte = 0; byte < 4; byte += 1)
    for (let bit = 0; bit < 8; bit += 1) {
      const value = multiply(factor, (1 << (8 * byte + bit)) >>> 0)
      for (let low = 0; low < 1 << bit; low += 1) {
        const index = 256 * byte + low
        shift[index + (1 << bit)] = at(shift, index) ^ value
      }
    }
  return shift
}

/** x to the power of 8 * `length`, modulo the polynomial, bits reversed. */
function raise(length: number): number {
  let power = ONE
  let square = X_TO_8
  for (let rest = length; rest > 0; rest >>>= 1) {
    if (rest & 1) power = multiply(square, power)
    square = multiply(square, square)
  }
  return power
}

function multiply(a: number, b: number): number {
  let product = 0
  let shifted = b
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1
  }
  return product >>> 0
}

const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000
const X_TO_8 = 0x00800000
