import { bytesOf, encoded, hashFunction } from './hashes.js'
import { nodeError } from './node-error.js'

/** A key of `crypto`: secret bytes, or one half of an RSA pair. */
export class KeyObject {
  #bytes
  #pem
  constructor(type, { bytes, pem, rsa }) {
    this.type = type
    this.#bytes = bytes
    this.#pem = pem
    if (bytes) this.symmetricKeySize = bytes.length
    if (!rsa) return
    this.asymmetricKeyType = 'rsa'
    this.asymmetricKeyDetails = {
      modulusLength: rsa.modulus.toString(2).length,
      publicExponent: rsa.exponent,
    }
    Object.defineProperty(this, 'rsa', { value: rsa })
  }
  static from(key) {
    return key
  }
  export(options) {
    if (this.#bytes) {
      if (options?.format === 'jwk')
        return {
          kty: 'oct',
          k: Buffer.from(this.#bytes).toString('base64url'),
        }
      return Buffer.from(this.#bytes)
    }
    return this.#pem
  }
  equals(other) {
    return Buffer.from(bytesOf(this.export())).equals(Buffer.from(bytesOf(other.export())))
  }
}

export function createSecretKey(key, encoding) {
  return new KeyObject('secret', {
    bytes: Buffer.from(bytesOf(key, encoding)),
  })
}

export const createPrivateKey = (key) => rsaKey(key, 'private')
export const createPublicKey = (key) => rsaKey(key, 'public')

/** `crypto.sign` and `crypto.createSign`. */
export function sign(digest, data, key) {
  return signRsa(digest, createPrivateKey(key).rsa, data)
}
export function verify(digest, data, key, signature) {
  return verifyRsa(digest, createPublicKey(key).rsa, data, signature)
}
export const createSign = (digest) => new Signing(digest)
export const createVerify = (digest) => new Signing(digest)

class Signing {
  #digest
  #parts = []
  constructor(digest) {
    this.#digest = digest
  }
  update(data, encoding) {
    this.#parts.push(Buffer.from(bytesOf(data, encoding)))
    return this
  }
  write(data, encoding) {
    return this.update(data, encoding)
  }
  end(data, encoding) {
    if (data !== undefined) this.update(data, encoding)
    return this
  }
  sign(key, encoding) {
    return encoded(sign(this.#digest, Buffer.concat(this.#parts), key), encoding)
  }
  verify(key, signature, encoding) {
    const bytes = typeof signature === 'string' ? Buffer.from(signature, encoding) : signature
    return verify(this.#digest, Buffer.concat(this.#parts), key, bytes)
  }
}

// A private key stands for its public half too.
function rsaKey(given, type) {
  if (given instanceof KeyObject && given.rsa) {
    return given.type === type
      ? given
      : new KeyObject(type, { pem: given.export(), rsa: given.rsa })
  }
  const key = given?.key ?? given
  if (key instanceof KeyObject && key.rsa) return rsaKey(key, type)
  const pem = typeof key === 'string' ? key : Buffer.isBuffer(key) ? key.toString() : ''
  const rsa = readRsaKey(pem)
  if (rsa && (rsa.type === type || type === 'public')) return new KeyObject(type, { pem, rsa })
  if (/-----BEGIN/.test(pem)) {
    throw nodeError(
      Error,
      'ERR_METHOD_NOT_IMPLEMENTED',
      'Only unencrypted RSA keys work inside the sandbox',
    )
  }
  throw nodeError(Error, 'ERR_OSSL_UNSUPPORTED', 'error:1E08010C:DECODER routines::unsupported')
}

/** Reads an RSA key from PEM text (PKCS #1, PKCS #8, SubjectPublicKeyInfo). Undefined when it is none. */
export function readRsaKey(pem) {
  const found =
    /-----BEGIN ((?:RSA )?(PRIVATE|PUBLIC) KEY)-----([\sA-Za-z0-9+/=]+)-----END \1-----/.exec(pem)
  if (!found) return undefined
  const [, label, kind, body] = found
  let fields = children(Buffer.from(body, 'base64'))
  if (!label.startsWith('RSA')) {
    const inner = fields.at(kind === 'PRIVATE' ? 2 : 1)
    // The content of a BIT STRING begins with the count of unused bits.
    const content = kind === 'PRIVATE' ? inner : inner?.subarray(1)
    const algorithm = Buffer.from(fields[kind === 'PRIVATE' ? 1 : 0] ?? [])
    if (!algorithm.toString('hex').includes(rsaEncryption)) return undefined
    fields = children(content)
  }
  const numbers = fields.map(toNumber)
  return kind === 'PRIVATE' ? privateKey(numbers) : publicKey(numbers)
}

/** Big-endian bytes as a BigInt. */
export function toNumber(bytes) {
  return BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
}

// 1.2.840.113549.1.1.1
const rsaEncryption = '2a864886f70d010101'

function privateKey([, modulus, exponent, , p, q, dp, dq, inverse]) {
  return {
    ...publicKey([modulus, exponent]),
    type: 'private',
    p,
    q,
    dp,
    dq,
    inverse,
  }
}

function publicKey([modulus, exponent]) {
  return {
    type: 'public',
    modulus,
    exponent,
    size: Math.ceil(modulus.toString(16).length / 2),
  }
}

// The contents of the elements of the outermost SEQUENCE (X.690 section 8).
function children(der) {
  const [sequence] = elements(der)
  return elements(sequence)
}

function elements(der) {
  const found = []
  for (let at = 1; at < der.length; ) {
    let length = der[at++]
    if (length & 128) {
      const count = length & 127
      length = Number(toNumber(der.subarray(at, at + count)))
      at += count
    }
    found.push(der.subarray(at, at + length))
    at += length + 1
  }
  return found
}

// DigestInfo prefixes of RFC 8017 section 9.2, note 1.
const prefixes = {
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
}

/** An RSASSA-PKCS1-v1_5 signature (RFC 8017 section 8.2.1). */
export function signRsa(digest, key, data) {
  const message = encodeMessage(digest, key, data)
  // By the Chinese remainder theorem, four times as fast: RFC 8017 section 5.1.2.
  const first = power(message % key.p, key.dp, key.p)
  const second = power(message % key.q, key.dq, key.q)
  const factor = (key.inverse * (first - second + key.p)) % key.p
  const signature = second + ((factor + key.p) % key.p) * key.q
  return Buffer.from(signature.toString(16).padStart(2 * key.size, '0'), 'hex')
}

/** Whether a signature of that kind is right (section 8.2.2). */
export function verifyRsa(digest, key, data, signature) {
  const bytes = bytesOf(signature)
  if (bytes.length !== key.size) return false
  return power(toNumber(bytes), key.exponent, key.modulus) === encodeMessage(digest, key, data)
}

// EMSA-PKCS1-v1_5, RFC 8017 section 9.2, as a number.
function encodeMessage(digest, { size }, data) {
  const name = `${digest}`.toLowerCase().replace(/^rsa-|-/g, '')
  const prefix = prefixes[name]
  if (!prefix) throw new Error('Invalid digest')
  const info = prefix + Buffer.from(hashFunction(name)(bytesOf(data))).toString('hex')
  return BigInt(`0x0001${'ff'.repeat(size - info.length / 2 - 3)}00${info}`)
}

function power(base, exponent, modulus) {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}
