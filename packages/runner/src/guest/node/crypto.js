import { hkdf } from '@noble/hashes/hkdf.js'
import { pbkdf2 } from '@noble/hashes/pbkdf2.js'
import { scrypt } from '@noble/hashes/scrypt.js'
import { fillRandom } from '../bindings/random.js'
import {
  bytesOf,
  createHash,
  createHmac,
  encoded,
  Hash,
  Hmac,
  hashFunction,
  hashNames,
} from './hashes.js'
import * as keys from './keys.js'
import { CryptoKey, subtle } from './subtle.js'

const missing = `createCipheriv createDecipheriv createDiffieHellman
  createDiffieHellmanGroup getDiffieHellman createECDH diffieHellman generateKey generateKeySync
  generateKeyPair generateKeyPairSync privateDecrypt privateEncrypt
  publicDecrypt publicEncrypt generatePrime generatePrimeSync checkPrime checkPrimeSync`

/** The module `crypto`: randomness, hashes and key derivation. Ciphers are not there, and RSA is the one signature. */
export const crypto = {
  ...notImplemented(),
  createHash,
  createHmac,
  Hash,
  Hmac,
  hash: (name, data, encoding = 'hex') => encoded(hashFunction(name)(bytesOf(data)), encoding),
  getHashes: () => [...hashNames],
  getCiphers: () => [],
  getCurves: () => [],
  randomBytes,
  pseudoRandomBytes: randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  randomUUID,
  getRandomValues,
  timingSafeEqual,
  pbkdf2Sync: (password, salt, iterations, length, digest) =>
    Buffer.from(
      pbkdf2(hashFunction(digest), bytesOf(password), bytesOf(salt), {
        c: iterations,
        dkLen: length,
      }),
    ),
  scryptSync,
  hkdfSync: (digest, key, salt, info, length) =>
    hkdf(hashFunction(digest), bytesOf(key), bytesOf(salt), bytesOf(info), length).slice().buffer,
  ...keys,
  constants: {
    RSA_PKCS1_PADDING: 1,
    RSA_PKCS1_OAEP_PADDING: 4,
    RSA_PKCS1_PSS_PADDING: 6,
  },
  getFips: () => 0,
}

for (const name of ['pbkdf2', 'scrypt', 'hkdf']) {
  crypto[name] = (...given) => calledBack(crypto[`${name}Sync`], given)
}

const webcrypto = { getRandomValues, randomUUID, subtle, CryptoKey }
Object.defineProperty(webcrypto, Symbol.toStringTag, {
  value: 'Crypto',
  configurable: true,
})
Object.assign(crypto, { webcrypto, subtle })

export { webcrypto }

function notImplemented() {
  const members = {}
  for (const name of missing.split(/\s+/)) {
    members[name] = () => {
      const error = new Error(`The crypto.${name} method is not implemented inside the sandbox`)
      throw Object.assign(error, { code: 'ERR_METHOD_NOT_IMPLEMENTED' })
    }
  }
  return members
}

function randomBytes(size, callback) {
  if (!Number.isInteger(size) || size < 0 || size > 0x7fffffff) {
    const error = new RangeError(`The value of "size" is out of range. Received ${size}`)
    throw Object.assign(error, { code: 'ERR_OUT_OF_RANGE' })
  }
  const bytes = fillRandom(Buffer.alloc(size))
  if (typeof callback !== 'function') return bytes
  process.nextTick(callback, null, bytes)
}

function randomFillSync(target, offset = 0, size = target.byteLength - offset) {
  const buffer = target.buffer ?? target
  fillRandom(new Uint8Array(buffer, (target.byteOffset ?? 0) + offset, size))
  return target
}

function randomFill(target, ...rest) {
  const callback = rest.pop()
  process.nextTick(callback, null, randomFillSync(target, ...rest))
}

function getRandomValues(target) {
  if (!ArrayBuffer.isView(target) || /Float|DataView/.test(target.constructor.name)) {
    throw new DOMException(
      'The data argument must be an integer-type TypedArray',
      'TypeMismatchError',
    )
  }
  if (target.byteLength > 65536) {
    const message = `The requested length exceeds 65,536 bytes`
    throw new DOMException(message, 'QuotaExceededError')
  }
  return randomFillSync(target)
}

function randomInt(...given) {
  const callback = typeof given.at(-1) === 'function' ? given.pop() : undefined
  const [low, high] = given.length > 1 ? given : [0, given[0]]
  if (!(Number.isSafeInteger(low) && Number.isSafeInteger(high) && low < high)) {
    const error = new RangeError(`The value of "max" is out of range. Received ${high}`)
    throw Object.assign(error, { code: 'ERR_OUT_OF_RANGE' })
  }
  const range = high - low
  const limit = 2 ** 48 - (2 ** 48 % range)
  let value
  do {
    value = fillRandom(Buffer.alloc(6)).readUIntBE(0, 6)
  } while (value >= limit)
  const result = low + (value % range)
  if (!callback) return result
  process.nextTick(callback, null, result)
}

function randomUUID() {
  const bytes = fillRandom(Buffer.alloc(16))
  bytes[6] = (bytes[6] & 15) | 64
  bytes[8] = (bytes[8] & 63) | 128
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function timingSafeEqual(first, second) {
  const a = bytesOf(first)
  const b = bytesOf(second)
  if (a.length !== b.length) {
    const error = new RangeError('Input buffers must have the same byte length')
    throw Object.assign(error, { code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' })
  }
  let difference = 0
  for (let at = 0; at < a.length; at++) difference |= a[at] ^ b[at]
  return difference === 0
}

function scryptSync(password, salt, length, options = {}) {
  const N = options.N ?? options.cost ?? 16384
  const r = options.r ?? options.blockSize ?? 8
  const p = options.p ?? options.parallelization ?? 1
  return Buffer.from(scrypt(bytesOf(password), bytesOf(salt), { N, r, p, dkLen: length }))
}

function calledBack(work, given) {
  const callback = given.pop()
  const result = work(...given)
  process.nextTick(callback, null, result)
}
