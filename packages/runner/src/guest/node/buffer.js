import buffer from 'node:buffer'
import { decodeLatin1, decodeUtf8, encodeUtf8 } from '../web/bytes.js'
import { nodeError } from './node-error.js'

const { Buffer } = buffer
const own = Buffer.prototype
const packaged = {
  from: Buffer.from,
  alloc: Buffer.alloc,
  isEncoding: Buffer.isEncoding,
  byteLength: Buffer.byteLength,
  toString: own.toString,
  write: own.write,
  fill: own.fill,
  indexOf: own.indexOf,
  lastIndexOf: own.lastIndexOf,
  includes: own.includes,
}

// The package lacks base64url, and its UTF-8 loops are too slow for an interpreter.
Buffer.from = function from(value, encoding, length) {
  if (typeof value === 'string' && isUtf8Name(encoding)) return asBuffer(encodeUtf8(value))
  if (typeof value === 'string') known(encoding)
  return packaged.from.call(Buffer, value, plain(encoding), length)
}
// Functions, since some packages write `new Buffer.alloc(0)`.
Buffer.alloc = function alloc(size, fill, encoding) {
  return packaged.alloc.call(Buffer, size, fill, plain(encoding))
}
Buffer.isEncoding = function isEncoding(name) {
  return isUrlBase64(name) || packaged.isEncoding(name)
}
Buffer.of = function of(...bytes) {
  return Buffer.from(bytes)
}
Buffer.byteLength = function byteLength(value, encoding) {
  if (typeof value === 'string' && isUtf8Name(encoding)) return utf8Length(value)
  return packaged.byteLength.call(
    Buffer,
    isUrlBase64(encoding) ? padded(value) : value,
    plain(encoding),
  )
}
Buffer.copyBytesFrom = (view, offset = 0, length = view.length - offset) => {
  const part = view.subarray(offset, offset + length)
  return asBuffer(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice())
}

own.toString = function text(encoding, start, end) {
  if (isUtf8Name(encoding)) return decodeUtf8(part(this, start, end))
  if (/^(latin1|binary)$/i.test(encoding)) return decodeLatin1(part(this, start, end))
  known(encoding)
  const printed = packaged.toString.call(this, plain(encoding), start, end)
  if (!isUrlBase64(encoding)) return printed
  return printed.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
own.toLocaleString = own.toString
own.write = function write(text, ...rest) {
  return packaged.write.call(this, text, ...rest.map(plain))
}
own.fill = function fill(value, ...rest) {
  if (typeof value === 'number' && isRange(this, ...rest)) {
    return Uint8Array.prototype.fill.call(this, value & 255, ...rest)
  }
  return packaged.fill.call(this, value, ...rest.map(plain))
}
for (const name of ['indexOf', 'lastIndexOf', 'includes']) {
  own[name] = function find(value, offset, encoding) {
    return packaged[name].call(this, value, plain(offset), plain(encoding))
  }
}

/** The module `buffer`, but for `Blob` and `File`, which are added where they are made. */
export const bufferModule = Object.assign(buffer, {
  atob: globalThis.atob,
  btoa: globalThis.btoa,
  constants: { MAX_LENGTH: 0x7fffffff, MAX_STRING_LENGTH: 0x1fffffe8 },
  kStringMaxLength: 0x1fffffe8,
  isAscii: (bytes) => !/[^\0-\x7f]/.test(decodeLatin1(bytes)),
  isUtf8: (bytes) => asBuffer(encodeUtf8(decodeUtf8(bytes))).equals(bytes),
  transcode: (bytes, from, to) => Buffer.from(asBuffer(bytes).toString(from), to),
})

export { Buffer }

function asBuffer(bytes) {
  return packaged.from.call(Buffer, bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** For these the engine's own fill does as the package does, without a step of the interpreter per byte. */
function isRange(bytes, start = 0, end = bytes.length) {
  return start >= 0 && start <= bytes.length && end >= 0 && end <= bytes.length
}

function part(bytes, start = 0, end = bytes.length) {
  return Uint8Array.prototype.subarray.call(bytes, Math.max(0, start | 0), Math.max(0, end | 0))
}

function known(encoding) {
  if (encoding === '' || Buffer.isEncoding(encoding)) return
  throw nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`)
}

function plain(encoding) {
  return isUrlBase64(encoding) ? 'base64' : encoding
}

function isUrlBase64(name) {
  return typeof name === 'string' && name.toLowerCase() === 'base64url'
}

function isUtf8Name(name) {
  return name === undefined || name === null || /^utf-?8$/i.test(name)
}

function padded(text) {
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

function utf8Length(text) {
  let length = text.length
  for (const [match] of text.matchAll(/[\u0080-\u07ff]|[\u0800-\uffff]/g)) {
    length += match < '\u0800' ? 1 : 2
  }
  for (const _pair of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) length -= 2
  return length
}
