import { hmac } from '@noble/hashes/hmac.js'
import { bytesOf, hashFunction } from './hashes.js'

const names = 'encrypt decrypt generateKey deriveBits deriveKey wrapKey unwrapKey'

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

/** `subtle` of Web Cryptography: digests and HMAC. */
export const subtle = {
  digest,
  importKey,
  exportKey,
  sign,
  verify,
  ...rejecting(),
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
  const name = `${algorithm?.name ?? algorithm}`.toUpperCase()
  if (name !== 'HMAC' || !['raw', 'jwk'].includes(format))
    unsupported(`subtle.importKey of ${name}`)
  const bytes = format === 'jwk' ? Buffer.from(data.k, 'base64url') : Buffer.from(bytesOf(data))
  const hash = {
    name: `${algorithm.hash?.name ?? algorithm.hash}`.toUpperCase(),
  }
  hashOf(hash)
  const described = { name, length: bytes.length * 8, hash }
  return new CryptoKey(bytes, {
    type: 'secret',
    extractable,
    algorithm: described,
    usages,
  })
}

async function exportKey(format, key) {
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

async function sign(_algorithm, key, data) {
  allow(key, 'sign')
  return mac(key, data).slice().buffer
}

async function verify(_algorithm, key, signature, data) {
  allow(key, 'verify')
  const right = mac(key, data)
  const given = bytesOf(signature)
  let difference = right.length ^ given.length
  for (let at = 0; at < right.length; at++) difference |= right[at] ^ (given[at] ?? 0)
  return difference === 0
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
