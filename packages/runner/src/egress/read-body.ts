import { pipeline, type Readable, type Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib'
import { EgressError } from './egress.ts'
import { getHeaderValues } from './headers.ts'

/** How to read a body. */
export interface BodyLimits {
  /** Largest body, in bytes, as received and, if it is decoded, after decoding. */
  readonly maxBytes: number
  readonly decompress: boolean
  /** No body follows these headers: a response to HEAD, or status 204 or 304. */
  readonly bodiless: boolean
}

/**
 * Reads a body to its end. Stops as soon as the limit is exceeded, whatever the headers declare.
 *
 * @throws EgressError `too_large`, `unreachable` for an encoding that cannot be decoded, or the error of the stream
 */
export async function readBody(
  body: Readable,
  rawHeaders: readonly string[],
  limits: BodyLimits,
): Promise<Uint8Array> {
  // A discarded body may still fail; nothing handles that error.
  body.on('error', () => {})
  try {
    assertContentLength(rawHeaders, limits)
    const encodings = limits.decompress ? listContentEncodings(rawHeaders) : []
    let chunks = limitBytes(body, limits.maxBytes)
    for (const encoding of encodings) chunks = decodeStream(encoding, chunks)
    return await collect(chunks, limits.maxBytes)
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
  limits: Pick<BodyLimits, 'maxBytes' | 'bodiless'>,
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

async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const buffers: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw new EgressError('too_large', `more than ${maxBytes} bytes`)
    buffers.push(chunk)
  }
  return buffers.length === 1 && buffers[0] ? buffers[0] : Buffer.concat(buffers, size)
}

/** Limits the bytes as received. */
async function* limitBytes(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw new EgressError('too_large', `more than ${maxBytes} bytes received`)
    yield chunk
  }
}

/** Decodes one encoding as a stream, so that a decompression bomb is stopped early. */
async function* decodeStream(
  encoding: string,
  source: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const first = await source.next()
  if (first.done) return
  const decoder = createDecoder(encoding, first.value)
  // A failure on either side is emitted by the decoder.
  pipeline(prepend(first.value, source), decoder, () => {})
  yield* decoder
}

async function* prepend(
  first: Uint8Array,
  remaining: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first
  yield* remaining
}

/** Flushes instead of finishing: like browsers, accept a body without its last bytes. */
function createDecoder(encoding: string, start: Uint8Array): Transform {
  if (encoding === 'br') {
    return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
  }
  const options = { finishFlush: constants.Z_SYNC_FLUSH }
  if (encoding !== 'deflate') return createGunzip(options)
  // "deflate" should be zlib (RFC 1950), but some servers send it raw; the first byte of zlib data contains 8.
  const isZlib = ((start[0] ?? 0) & 0x0f) === 8
  return isZlib ? createInflate(options) : createInflateRaw(options)
}
