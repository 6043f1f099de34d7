import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { GateStream } from '@linchpin/runner'

/** An answer whose beginning was looked at, and the JSON that it holds; undefined when it was not or could not be read. */
export interface PeekedAnswer {
  readonly answer: GateStream
  readonly json?: unknown
}

/**
 * Reads the body of a JSON answer of 16 kB at most, compressed or not, and gives it back unchanged. A longer one is
 * given back as soon as that is known, and so is one without a length that takes too long to end: it may be a stream.
 */
export async function peekJson(answer: GateStream): Promise<PeekedAnswer> {
  const { rawHeaders, body } = answer
  if (!isJson(headerOf(rawHeaders, 'content-type') ?? '')) return { answer }
  const length = headerOf(rawHeaders, 'content-length')
  if (Number(length) > MAX_BYTES) return { answer }
  const bytes = await wholeBody(body, length === undefined ? STREAM_MS : undefined)
  if (bytes === undefined) return { answer }
  const json = parse(bytes, headerOf(rawHeaders, 'content-encoding'))
  return {
    answer: {
      ...answer,
      body: Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false }),
    },
    json,
  }
}

const MAX_BYTES = 16_384
const STREAM_MS = 1_000

/** All bytes; undefined when there are more than the most, or they take too long, or break off: then `body` has them all. */
function wholeBody(body: Readable, waitMs: number | undefined): Promise<Buffer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let size = 0
  const timer = waitMs === undefined ? undefined : setTimeout(() => giveBack(), waitMs)
  const finish = (bytes: Buffer | undefined) => {
    clearTimeout(timer)
    body.off('readable', onReadable).off('end', onEnd).off('close', onClose).off('error', onClose)
    resolve(bytes)
  }
  const giveBack = () => {
    finish(undefined)
    if (size > 0) body.unshift(Buffer.concat(chunks))
  }
  const onReadable = () => {
    for (let chunk = body.read(); chunk !== null; chunk = body.read()) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_BYTES) return giveBack()
    }
  }
  const onEnd = () => finish(Buffer.concat(chunks))
  // Whoever reads it next meets the failure.
  const onClose = () => finish(undefined)
  body.on('readable', onReadable).on('end', onEnd).on('close', onClose).on('error', onClose)
  if (body.destroyed) onClose()
  return promise
}

function parse(bytes: Buffer, encoding: string | undefined): unknown {
  try {
    const text = decoded(bytes, encoding?.trim().toLowerCase() ?? 'identity')
    return text === undefined ? undefined : JSON.parse(text.toString('utf8'))
  } catch {
    return undefined
  }
}

/** @throws Error when it becomes too long, or is not encoded like this */
function decoded(bytes: Buffer, encoding: string): Buffer | undefined {
  const limit = { maxOutputLength: MAX_BYTES }
  if (encoding === 'identity' || encoding === '') return bytes
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, limit)
  if (encoding === 'deflate') return inflateSync(bytes, limit)
  if (encoding === 'br') return brotliDecompressSync(bytes, limit)
  if (encoding === 'zstd') return zstdDecompressSync(bytes, limit)
  return undefined
}

/** RFC 8259, and the suffix of RFC 6839. */
function isJson(contentType: string): boolean {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json')
}

function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) return rawHeaders[index + 1]
  return undefined
}
