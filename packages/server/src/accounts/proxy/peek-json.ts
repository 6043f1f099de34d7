import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { EgressStream } from '@linchpin/runner'

/** A response and its parsed JSON; undefined if the body was not read or is not JSON. */
export interface PeekedResponse {
  readonly response: EgressStream
  readonly json?: unknown
}

/**
 * Parses a JSON response of at most 16 kB, compressed or not, and returns it with its body unchanged. Returns a longer
 * one without parsing it, and also one without a length that does not end in time, because it may be a stream.
 */
export async function peekJson(response: EgressStream): Promise<PeekedResponse> {
  const { rawHeaders, body } = response
  if (!isJson(getHeader(rawHeaders, 'content-type') ?? '')) return { response }
  const length = getHeader(rawHeaders, 'content-length')
  if (Number(length) > MAX_BYTES) return { response }
  const bytes = await readWholeBody(body, length === undefined ? MAX_WAIT_MS : undefined)
  if (bytes === undefined) return { response }
  const json = parseJson(bytes, getHeader(rawHeaders, 'content-encoding'))
  return {
    response: {
      ...response,
      body: Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false }),
    },
    json,
  }
}

const MAX_BYTES = 16_384
const MAX_WAIT_MS = 1_000

/** Reads all bytes. Undefined if there are too many, or they are late or incomplete: then `body` still has all of them. */
function readWholeBody(body: Readable, waitMs: number | undefined): Promise<Buffer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let size = 0
  const timer = waitMs === undefined ? undefined : setTimeout(() => restoreStream(), waitMs)
  const settle = (bytes: Buffer | undefined) => {
    clearTimeout(timer)
    body.off('readable', onReadable).off('end', onEnd).off('close', onClose).off('error', onClose)
    resolve(bytes)
  }
  const restoreStream = () => {
    settle(undefined)
    if (size > 0) body.unshift(Buffer.concat(chunks))
  }
  const onReadable = () => {
    for (let chunk = body.read(); chunk !== null; chunk = body.read()) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_BYTES) return restoreStream()
    }
  }
  const onEnd = () => settle(Buffer.concat(chunks))
  // The next reader of the body gets the error.
  const onClose = () => settle(undefined)
  body.on('readable', onReadable).on('end', onEnd).on('close', onClose).on('error', onClose)
  if (body.destroyed) onClose()
  return promise
}

function parseJson(bytes: Buffer, encoding: string | undefined): unknown {
  try {
    const text = decompress(bytes, encoding?.trim().toLowerCase() ?? 'identity')
    return text === undefined ? undefined : JSON.parse(text.toString('utf8'))
  } catch {
    return undefined
  }
}

/** @throws Error if the result is too large or the encoding is wrong */
function decompress(bytes: Buffer, encoding: string): Buffer | undefined {
  const options = { maxOutputLength: MAX_BYTES }
  if (encoding === 'identity' || encoding === '') return bytes
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, options)
  if (encoding === 'deflate') return inflateSync(bytes, options)
  if (encoding === 'br') return brotliDecompressSync(bytes, options)
  if (encoding === 'zstd') return zstdDecompressSync(bytes, options)
  return undefined
}

/** RFC 8259, and the suffix of RFC 6839. */
function isJson(contentType: string): boolean {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json')
}

function getHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) return rawHeaders[index + 1]
  return undefined
}
