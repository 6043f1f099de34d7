import stream from 'node:stream'
import { decodeBrotli } from '../brotli/decode.js'
import { storeBrotli } from '../brotli/store.js'
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

class BrotliDecompress extends WholeBody {
  constructor(options = {}) {
    super((body) => brotliDecompressSync(body, options), options)
  }
}

class BrotliCompress extends WholeBody {
  constructor(options = {}) {
    super(brotliCompressSync, options)
  }
}

function brotliDecompressSync(data, { maxOutputLength } = {}) {
  return Buffer.from(decodeBrotli(bytesOf(data), maxOutputLength))
}

function brotliCompressSync(data) {
  return Buffer.from(storeBrotli(bytesOf(data)))
}

/** What `zlib` has for Brotli. Decoding is complete; encoding stores, which every decoder understands. */
export const brotli = {
  BrotliCompress: callable(BrotliCompress),
  BrotliDecompress: callable(BrotliDecompress),
  createBrotliCompress: (options) => new BrotliCompress(options),
  createBrotliDecompress: (options) => new BrotliDecompress(options),
  brotliCompressSync,
  brotliDecompressSync,
  brotliCompress: (...given) => calledBack(brotliCompressSync, given),
  brotliDecompress: (...given) => calledBack(brotliDecompressSync, given),
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
