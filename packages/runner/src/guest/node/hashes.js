import stream from 'node:stream'
import { hmac } from '@noble/hashes/hmac.js'
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js'
import { sha224, sha256, sha384, sha512, sha512_256 } from '@noble/hashes/sha2.js'
import { sha3_256, sha3_384, sha3_512 } from '@noble/hashes/sha3.js'
import { viewOf } from '../web/bytes.js'
import { nodeError } from './node-error.js'

const known = {
  md5,
  sha1,
  ripemd160,
  rmd160: ripemd160,
  sha224,
  sha256,
  sha384,
  sha512,
  'sha512-256': sha512_256,
  'sha3-256': sha3_256,
  'sha3-384': sha3_384,
  'sha3-512': sha3_512,
}

/** What `crypto.getHashes` lists. */
export const hashNames = Object.keys(known).flatMap((name) => [`RSA-${name.toUpperCase()}`, name])

/** The hash function of a name as OpenSSL spells it, in any case. */
export function hashFunction(name) {
  const found =
    known[
      `${name}`
        .toLowerCase()
        .replace(/^rsa-|^sha-(?=\d)/, (start) => (start === 'rsa-' ? '' : 'sha'))
    ]
  if (found) return found
  throw new Error('Digest method not supported')
}

/** The bytes of data, in any form that Node's crypto accepts. */
export function bytesOf(data, encoding) {
  if (typeof data === 'string')
    return Uint8Array.from(Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding))
  const view = viewOf(data)
  if (view) return view
  if (data?.type === 'secret') return bytesOf(data.export())
  const message = 'The "data" argument must be of type string or an instance of Buffer.'
  throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', message)
}

/** A digest in the encoding that was asked for: a Buffer without one. */
export function encoded(bytes, encoding) {
  const buffer = Buffer.from(bytes)
  return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer
}

class Digest extends stream.Transform {
  #state
  #done = false
  constructor(state) {
    super()
    this.#state = state
  }
  update(data, encoding) {
    if (this.#done) throw finalized()
    this.#state.update(bytesOf(data, encoding))
    return this
  }
  digest(encoding) {
    if (this.#done) throw finalized()
    this.#done = true
    return encoded(this.#state.digest(), encoding)
  }
  copyState() {
    if (this.#done) throw finalized()
    return this.#state.clone()
  }
  _transform(chunk, encoding, done) {
    this.update(chunk, encoding)
    done()
  }
  _flush(done) {
    this.push(this.digest())
    done()
  }
}

export class Hash extends Digest {
  copy() {
    return new Hash(this.copyState())
  }
}

export class Hmac extends Digest {}

export const createHash = (name) => new Hash(hashFunction(name).create())

export const createHmac = (name, key) => {
  return new Hmac(hmac.create(hashFunction(name), bytesOf(key)))
}

function finalized() {
  return nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called')
}
