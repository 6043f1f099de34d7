import stream from 'node:stream'
import zlibPackage from 'browserify-zlib'
import { zlib as constants } from 'node-constants'
import pakoCrc32 from 'pako/lib/zlib/crc32.js'
import { post } from '../bindings/post.js'
import { callable } from './callable.js'
import { bytesOf } from './hashes.js'

/** A whole-body transform: Node's classes work in pieces, but a body is in memory here anyway. */
class WholeBody extends stream.Transform {
  #work
  #chunks = []
  constructor(work, options) {
    super(options)
    this.#work = work
    this.bytesWritten = 0
  }
  close(callback) {
    if (callback) this.once('close', callback)
    this.destroy()
  }
  flush(...given) {
    const callback = given.at(-1)
    if (typeof callback === 'function') process.nextTick(callback)
  }
  reset() {}
  _transform(chunk, _encoding, done) {
    this.bytesWritten += chunk.length
    this.#chunks.push(chunk)
    done()
  }
  _flush(done) {
    try {
      const body = Buffer.concat(this.#chunks)
      if (body.length > 0) this.push(this.#work(body))
      done()
    } catch (error) {
      done(error)
    }
  }
}

class BrotliCompress extends WholeBody {
  constructor(options = {}) {
    super(brotliCompressSync, options)
  }
}

class BrotliDecompress extends WholeBody {
  constructor(options = {}) {
    super((body) => brotliDecompressSync(body, options), options)
  }
}

/** What `zlib` has for Brotli. The host decodes, at most 16 MiB; encoding stores, which every decoder understands. */
const brotli = {
  BrotliCompress: callable(BrotliCompress),
  BrotliDecompress: callable(BrotliDecompress),
  createBrotliCompress: (options) => new BrotliCompress(options),
  createBrotliDecompress: (options) => new BrotliDecompress(options),
  brotliCompressSync,
  brotliDecompressSync,
  brotliCompress: (...given) => calledBack(brotliCompressSync, given),
  brotliDecompress: (...given) => calledBack(brotliDecompressSync, given),
}

/**
 * The module `zlib`: gzip, deflate and Brotli. Zstandard has constants but no functions, so that clients which look for
 * it do not ask a server for it.
 */
export const zlib = {
  ...zlibPackage,
  ...brotli,
  constants,
  codes: zlibPackage.codes,
  crc32,
}

/** CRC-32 as gzip has it (RFC 1952 section 8). */
function crc32(data, value = 0) {
  const bytes = Buffer.from(data)
  return pakoCrc32(value, bytes, bytes.length, 0) >>> 0
}

function brotliDecompressSync(data, { maxOutputLength = 0 } = {}) {
  const decoded = post('unbrotli', maxOutputLength, undefined, bytesOf(data).slice().buffer)
  if (typeof decoded !== 'string') return Buffer.from(decoded)
  const { name, message, ...values } = JSON.parse(decoded)
  throw Object.assign(new (name === 'RangeError' ? RangeError : Error)(message), values)
}

function brotliCompressSync(data) {
  return storeBrotli(bytesOf(data))
}

function calledBack(work, given) {
  const callback = given.pop()
  let result
  try {
    result = work(...given)
  } catch (error) {
    return setImmediate(callback, error)
  }
  setImmediate(callback, null, result)
}

const mostStored = 65536

/** A Brotli stream that stores its bytes in uncompressed meta-blocks (RFC 7932 section 9.2). */
function storeBrotli(bytes) {
  // A window of 2^16 is one zero bit; an empty last block follows when there is nothing to store.
  if (bytes.length === 0) return Buffer.of(6)
  const parts = []
  for (let at = 0; at < bytes.length; at += mostStored) {
    const part = bytes.subarray(at, at + mostStored)
    const head = (part.length - 1) * 8 + 2 ** 19
    // The first head begins with WBITS, one bit; the others are byte-aligned by the data before them.
    const shifted = at === 0 ? head * 2 : head
    parts.push(Buffer.of(shifted & 255, (shifted >> 8) & 255, (shifted >> 16) & 255), part)
  }
  return Buffer.concat([...parts, Buffer.of(3)])
}
