import { malformed } from './malformed.js'
import { readPrefixCode } from './prefix-code.js'

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
export function literalContext(mode, last, before) {
  if (mode === 0) return last & 63
  if (mode === 1) return last >> 2
  if (mode === 2) return utf8Last[last] | utf8Before[before]
  return (signed[last] << 3) | signed[before]
}

/** Reads a context map (RFC 7932 section 7.3). Answers how many trees it names, and the map. */
export function readContextMap(bits, size) {
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
export function readCount(bits) {
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
