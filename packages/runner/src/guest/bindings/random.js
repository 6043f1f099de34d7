import { now, post } from './post.js'

let a = 0
let b = 0
let c = 0
let counter = 0
let seeded = false

function seed(hex) {
  a = word(hex, 0)
  b = word(hex, 1)
  c = word(hex, 2)
  counter = word(hex, 3) | 1
  for (let round = 0; round < 16; round++) next()
}

/**
 * Math.random: sfc32, 53 bits. Asks the host for a seed when it is first used, so that the host knows that it is used.
 * No image of memory contains a seed of the host.
 */
export function random() {
  if (!seeded) seedFromHost()
  return (next() * 2097152 + (next() >>> 11)) / 9007199254740992
}

/** Fills a Uint8Array with entropy of the host. */
export function fillRandom(bytes) {
  const hex = bytes.length === 0 ? '' : entropy(bytes.length)
  if (hex === undefined) throw new Error('No entropy is available.')
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = digit(hex, 2 * at) * 16 + digit(hex, 2 * at + 1)
  }
  return bytes
}

function entropy(count) {
  const hex = post('random', 0, `${count}`)
  return typeof hex === 'string' && hex.length >= 2 * count ? hex : undefined
}

// While packages load there is no binding yet, so the clock is used.
function seedFromHost() {
  const hex = entropy(32)
  seed(hex ?? `${now()}`.padStart(64, '0'))
  seeded = hex !== undefined
}

function next() {
  const sum = (((a + b) | 0) + counter) | 0
  counter = (counter + 1) | 0
  a = b ^ (b >>> 9)
  b = (c + (c << 3)) | 0
  c = (((c << 21) | (c >>> 11)) + sum) | 0
  return sum >>> 0
}

function word(hex, index) {
  let value = 0
  for (let at = 8 * index; at < 8 * index + 8; at++) value = (value << 4) | digit(hex, at)
  return value
}

// Character by character and without methods: they could be patched.
const digits = { __proto__: null }
for (let value = 0; value < 16; value++) digits['0123456789abcdef'[value]] = value

function digit(hex, at) {
  return digits[hex[at]] ?? 0
}
