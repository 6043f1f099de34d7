import { readRsaKey } from './der.js'
import { bytesOf, encoded } from './hashes.js'
import { nodeError } from './node-error.js'
import { signRsa, verifyRsa } from './rsa.js'

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
