import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { ApiError } from '../errors.ts'

/** The body of a request, as far as it was read. */
export interface RequestBody {
  /** Whole when it is short; else a stream that is read as fast as it is sent on. Undefined: none. */
  readonly body: Uint8Array | Transform | undefined
  /** Of a stream, where the caller said it. */
  readonly contentLength: number | undefined
  /** Whether all that has arrived was sent on, and there is more to come: then it is the caller who is waited for. */
  readonly isAwaitingCaller: () => boolean
}

/** @throws ApiError `body_too_large` when the headers say so already */
export function assertBodySize({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge()
}

/**
 * Takes the body of a request, whatever its type. Up to 1 MB is kept, so that it can be sent twice; a longer one becomes
 * a stream, which fails with `body_too_large` beyond `maxBytes`. What nobody reads in the end is thrown away.
 *
 * @throws ApiError `malformed_request` when the caller breaks off
 */
export async function readBody(raw: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  const declaredLength = raw.headers['content-length']
  const hasBody = raw.headers['transfer-encoding'] !== undefined || Number(declaredLength ?? 0) > 0
  if (!hasBody) return { body: undefined, contentLength: undefined, isAwaitingCaller: () => false }
  const upload = limitSize(raw, maxBytes)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of upload.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    size += (chunk as Uint8Array).length
    if (size > MAX_BUFFERED_BYTES) break
  }
  const buffered = Buffer.concat(chunks)
  if (size <= MAX_BUFFERED_BYTES)
    return { body: buffered, contentLength: undefined, isAwaitingCaller: () => false }
  upload.unshift(buffered)
  return {
    body: upload,
    contentLength: declaredLength === undefined ? undefined : Number(declaredLength),
    isAwaitingCaller: () => !raw.complete && upload.readableLength + upload.writableLength === 0,
  }
}

const MAX_BUFFERED_BYTES = 1024 * 1024

function limitSize(raw: IncomingMessage, maxBytes: number): Transform {
  let size = 0
  const upload = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) done(bodyTooLarge())
      else done(null, chunk)
    },
  })
  upload.on('error', () => {})
  // Unread bytes would stand in the way of the next request on this connection.
  upload.once('close', () => {
    raw.unpipe(upload)
    raw.resume()
  })
  raw.once('close', () => {
    if (!raw.complete)
      upload.destroy(new ApiError('malformed_request', 'The request body broke off.'))
  })
  return raw.pipe(upload)
}

function bodyTooLarge(): ApiError {
  return new ApiError('body_too_large', 'The body is larger than 25 MB.', {
    headers: { connection: 'close' },
  })
}
