import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { EgressStream } from '@linchpin/runner'

/** An answer whose beginning was looked at, and the JSON that it holds; undefined when it was not or could not be read. */
export interface PeekedResponse {
  readonly response: EgressStream
  readonly json?: unknown
}

/**
 * Reads the body of a JSON answer of 16 kB at most, compressed or not, and gives it back unchanged. A longer one is
 * given back as soon as that is known, and so is one without a length that takes too long to end: it may be a stream.
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

/** All bytes; undefined when there are more than the most, or they take too long, or break off: then `body` has them all. */
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
  // Whoever reads it next meets the failure.
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

/** @throws Error when it becomes too long, or is not encoded like this */
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
