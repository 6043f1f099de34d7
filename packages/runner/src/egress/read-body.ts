import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib'
import { type EgressBody, EgressError } from './egress.ts'
import { getHeaderValues } from './headers.ts'
import { collectBody } from './response-body.ts'

/** How to read a body. */
export interface ReadOptions {
  /** Largest body, in bytes, after each decoding. */
  readonly maxBytes: number
  readonly decompress: boolean
  /** No body follows these headers: a response to HEAD, or status 204 or 304. */
  readonly bodiless: boolean
}

/**
 * Reads a body to its end.
 *
 * @throws EgressError `too_large`, the error that the body breaks off with, or the error of zlib for an encoding that cannot be
 * decoded
 */
export async function readBody(
  body: EgressBody,
  rawHeaders: readonly string[],
  options: ReadOptions,
): Promise<Uint8Array> {
  try {
    assertContentLength(rawHeaders, options)
    const encodings = options.decompress ? listContentEncodings(rawHeaders) : []
    let bytes = await collectBody(body)
    for (const encoding of encodings) bytes = await decode(encoding, bytes, options.maxBytes)
    return bytes
  } catch (error) {
    body.destroy()
    throw error
  }
}

/** Returns true if no body follows, whatever the headers declare (RFC 9110 section 6.4.1). */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

const SUPPORTED_ENCODINGS: readonly string[] = ['gzip', 'x-gzip', 'deflate', 'br']
const MAX_ENCODINGS = 2

/** @throws EgressError `too_large` when Content-Length exceeds the limit */
export function assertContentLength(
  rawHeaders: readonly string[],
  limits: Pick<ReadOptions, 'maxBytes' | 'bodiless'>,
): void {
  const contentLength = Math.max(0, ...getHeaderValues(rawHeaders, 'content-length').map(Number))
  if (contentLength > limits.maxBytes && !limits.bodiless) {
    throw new EgressError('too_large', `Content-Length is ${contentLength}`)
  }
}

/** Encodings to decode, last one first. With an unknown one, the bytes are returned as received. */
function listContentEncodings(rawHeaders: readonly string[]): string[] {
  const names = getHeaderValues(rawHeaders, 'content-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > MAX_ENCODINGS) throw new EgressError('unreachable', 'too many encodings')
  return names.every((name) => SUPPORTED_ENCODINGS.includes(name)) ? names.reverse() : []
}

/**
 * Decodes one encoding: on this thread if it is short in both forms, which is faster than to ask another one. Stops at the limit, so
 * that a decompression bomb is stopped early.
 */
async function decode(encoding: string, bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const [first] = bytes
  if (first === undefined) return bytes
  const { decodeSync, decodeAsync } = selectDecoder(encoding, first)
  const options = encoding === 'br' ? BROTLI_OPTIONS : ZLIB_OPTIONS
  if (bytes.length <= MAX_SYNC_BYTES && maxBytes >= MAX_SYNC_BYTES) {
    try {
      return decodeSync(bytes, { ...options, maxOutputLength: MAX_SYNC_BYTES })
    } catch (cause) {
      if (!isTooLarge(cause)) throw cause
    }
  }
  try {
    return await decodeAsync(bytes, { ...options, maxOutputLength: maxBytes })
  } catch (cause) {
    if (!isTooLarge(cause)) throw cause
    throw new EgressError('too_large', `more than ${maxBytes} bytes`)
  }
}

const MAX_SYNC_BYTES = 64 * 1024

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
}

// They flush instead of finishing: like browsers, accept a body without its last bytes.
const BROTLI_OPTIONS = { finishFlush: constants.BROTLI_OPERATION_FLUSH }
const ZLIB_OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH }

type Decode<T> = (bytes: Uint8Array, options: ZlibOptions & BrotliOptions) => T

interface Decoder {
  readonly decodeSync: Decode<Uint8Array>
  readonly decodeAsync: Decode<Promise<Uint8Array>>
}

const BROTLI: Decoder = {
  decodeSync: brotliDecompressSync,
  decodeAsync: promisify(brotliDecompress),
}
const GZIP: Decoder = { decodeSync: gunzipSync, decodeAsync: promisify(gunzip) }
const ZLIB: Decoder = { decodeSync: inflateSync, decodeAsync: promisify(inflate) }
const RAW: Decoder = { decodeSync: inflateRawSync, decodeAsync: promisify(inflateRaw) }

function selectDecoder(encoding: string, firstByte: number): Decoder {
  if (encoding === 'br') return BROTLI
  if (encoding !== 'deflate') return GZIP
  // "deflate" should be zlib (RFC 1950), but some servers send it raw; the first byte of zlib data contains 8.
  return (firstByte & 0x0f) === 8 ? ZLIB : RAW
}
