import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { ApiError } from '../../platform/errors.ts'
import { createBodyTooLargeError } from '../../platform/http/create-body-too-large-error.ts'

/** The body of a request, buffered or streamed. */
export interface RequestBody {
  /** A buffer if the body is short, otherwise a stream with backpressure. Undefined: no body. */
  readonly body: Uint8Array | Transform | undefined
  /** The length of a stream, if the caller declared it. */
  readonly contentLength: number | undefined
  /** Whether all received data was forwarded and more is expected, so that the caller caused the timeout. */
  readonly isAwaitingCaller: () => boolean
}

/** Charges for bytes that pass through; the next ones wait for the promise, if there is one. */
export type Throttle = (bytes: number) => Promise<void> | undefined

/** @throws ApiError `body_too_large` if the declared length exceeds the limit */
export function assertBodySize({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw createTooLargeError(maxBytes)
}

/**
 * Reads the body of a request of any content type. Buffers up to 1 MB, so that the request can be retried; a longer body
 * is streamed and fails with `body_too_large` after `maxBytes`. Unread data is discarded.
 *
 * @throws ApiError `malformed_request` if the caller closes the connection early
 */
export async function readBody(
  raw: IncomingMessage,
  maxBytes: number,
  throttle: Throttle,
): Promise<RequestBody> {
  const declaredLength = raw.headers['content-length']
  const hasBody = raw.headers['transfer-encoding'] !== undefined || Number(declaredLength ?? 0) > 0
  if (!hasBody) return { body: undefined, contentLength: undefined, isAwaitingCaller: () => false }
  const upload = limitSize(raw, maxBytes, throttle)
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

function limitSize(raw: IncomingMessage, maxBytes: number, throttle: Throttle): Transform {
  let size = 0
  const upload = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) return done(createTooLargeError(maxBytes))
      const pause = throttle(chunk.length)
      if (pause === undefined) done(null, chunk)
      else void pause.then(() => done(null, chunk))
    },
  })
  upload.on('error', () => {})
  // Unread bytes would block the next request on this connection.
  upload.once('close', () => {
    raw.unpipe(upload)
    raw.resume()
  })
  raw.once('close', () => {
    if (!raw.complete)
      upload.destroy(new ApiError('malformed_request', 'The request body ended unexpectedly.'))
  })
  return raw.pipe(upload)
}

/** Closes the connection: the rest of the body is not read. */
function createTooLargeError(maxBytes: number): ApiError {
  return createBodyTooLargeError(maxBytes, { headers: { connection: 'close' } })
}
