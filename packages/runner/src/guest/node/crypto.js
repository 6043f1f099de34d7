import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { pbkdf2 } from '@noble/hashes/pbkdf2.js'
import { scrypt } from '@noble/hashes/scrypt.js'
import { fillRandom } from '../bindings/random.js'
import { nameTag } from '../properties.js'
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
import { nodeError } from './node-error.js'
import { findSigning, signByHost } from './signing-keys.js'

const missing = `createCipheriv createDecipheriv createDiffieHellman
  createDiffieHellmanGroup getDiffieHellman createECDH diffieHellman generateKey generateKeySync
  generateKeyPair generateKeyPairSync privateDecrypt privateEncrypt
  publicDecrypt publicEncrypt generatePrime generatePrimeSync checkPrime checkPrimeSync`

/**
 * The module `crypto`: randomness, hashes and key derivation. Ciphers are not there, and RSA is the one signature; `subtle` has
 * more.
 */
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

const names = 'encrypt decrypt generateKey deriveBits deriveKey wrapKey unwrapKey'

/** `subtle` of Web Cryptography: digests, HMAC, and signatures with private keys. */
const subtle = {
  digest,
  importKey,
  exportKey,
  sign,
  verify,
  ...rejecting(),
}

/** A key of Web Cryptography. */
export class CryptoKey {
  #bytes
  constructor(bytes, values) {
    this.#bytes = bytes
    Object.assign(this, values)
  }
  /** The bytes of a key, for this module only. */
  static bytesOf(key) {
    return key.#bytes
  }
}

const webcrypto = { getRandomValues, randomUUID, subtle, CryptoKey }
nameTag(webcrypto, 'Crypto')
Object.assign(crypto, { webcrypto, subtle })

export { webcrypto }

function notImplemented() {
  const members = {}
  for (const name of missing.split(/\s+/)) {
    members[name] = () => {
      const message = `The crypto.${name} method is not implemented inside the sandbox`
      throw nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', message)
    }
  }
  return members
}

function randomBytes(size, callback) {
  if (!Number.isInteger(size) || size < 0 || size > 0x7fffffff) {
    outOfRange('size', size)
  }
  const bytes = fillRandom(Buffer.alloc(size))
  if (typeof callback !== 'function') return bytes
  process.nextTick(callback, null, bytes)
}

function outOfRange(name, value) {
  const message = `The value of "${name}" is out of range. Received ${value}`
  throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', message)
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
    outOfRange('max', high)
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
    const message = 'Input buffers must have the same byte length'
    throw nodeError(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', message)
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

function rejecting() {
  const members = {}
  for (const name of names.split(' ')) members[name] = async () => unsupported(`subtle.${name}`)
  return members
}

async function digest(algorithm, data) {
  return hashOf(algorithm)(bytesOf(data)).slice().buffer
}

async function importKey(format, data, algorithm, extractable, usages) {
  if (format === 'pkcs8') return importPrivateKey(data, algorithm, extractable, usages)
  const name = `${algorithm?.name ?? algorithm}`.toUpperCase()
  if (name !== 'HMAC' || !['raw', 'jwk'].includes(format))
    unsupported(`subtle.importKey of ${name}`)
  const bytes = format === 'jwk' ? Buffer.from(data.k, 'base64url') : Buffer.from(bytesOf(data))
  const hash = { name: `${algorithm.hash?.name ?? algorithm.hash}`.toUpperCase() }
  hashOf(hash)
  const described = { name, length: bytes.length * 8, hash }
  return new CryptoKey(bytes, {
    type: 'secret',
    extractable,
    algorithm: described,
    usages,
  })
}

function importPrivateKey(data, algorithm, extractable, usages) {
  const signing = findSigning(algorithm)
  if (signing === undefined) unsupported('subtle.importKey of this algorithm')
  const bytes = Buffer.from(bytesOf(data))
  if (!signByHost(signing, bytes)) throw new DOMException('Invalid keyData', 'DataError')
  const described = { ...algorithm, name: signing.name }
  return new CryptoKey(bytes, { type: 'private', extractable, algorithm: described, usages })
}

async function exportKey(format, key) {
  if (key.type === 'private') unsupported('subtle.exportKey of a private key')
  if (!key.extractable) throw new DOMException('key is not extractable', 'InvalidAccessError')
  const bytes = Buffer.from(CryptoKey.bytesOf(key))
  if (format === 'raw') return new Uint8Array(bytes).buffer
  return {
    kty: 'oct',
    k: bytes.toString('base64url'),
    ext: true,
    key_ops: key.usages,
  }
}

async function sign(algorithm, key, data) {
  allow(key, 'sign')
  if (key.type === 'private') {
    const signing = findSigning(key.algorithm, algorithm)
    if (signing === undefined) unsupported('subtle.sign with these parameters')
    return signByHost(signing, CryptoKey.bytesOf(key), bytesOf(data))
  }
  return mac(key, data).slice().buffer
}

async function verify(_algorithm, key, signature, data) {
  allow(key, 'verify')
  const right = mac(key, data)
  const given = bytesOf(signature)
  return right.length === given.length && timingSafeEqual(right, given)
}

function mac(key, data) {
  return hmac(hashOf(key.algorithm.hash), CryptoKey.bytesOf(key), bytesOf(data))
}

function allow(key, usage) {
  if (!(key instanceof CryptoKey)) throw new TypeError('key is not of type CryptoKey.')
  if (key.usages.includes(usage)) return
  throw new DOMException('Unable to use this key to sign', 'InvalidAccessError')
}

function hashOf(algorithm) {
  const name = `${algorithm?.name ?? algorithm}`.toUpperCase()
  if (!/^SHA-(1|256|384|512)$/.test(name)) unsupported(name)
  return hashFunction(name.replace('-', ''))
}

function unsupported(what) {
  throw new DOMException(`${what} is not implemented inside the sandbox`, 'NotSupportedError')
}
