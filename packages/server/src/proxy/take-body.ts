import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { ApiError } from '../errors.ts'

/** The body of a request, as far as it was read. */
export interface TakenBody {
  /** Whole when it is short; else a stream that is read as fast as it is sent on. Undefined: none. */
  readonly body: Uint8Array | Transform | undefined
  /** Of a stream, where the caller said it. */
  readonly contentLength: number | undefined
  /** Whether all that has arrived was sent on, and there is more to come: then it is the caller who is waited for. */
  readonly isStarved: () => boolean
}

/** @throws ApiError `body_too_large` when the headers say so already */
export function refuseLargeBody({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge()
}

/**
 * Takes the body of a request, whatever its type. Up to 1 MB is kept, so that it can be sent twice; a longer one becomes
 * a stream, which fails with `body_too_large` beyond `maxBytes`. What nobody reads in the end is thrown away.
 *
 * @throws ApiError `malformed_request` when the caller breaks off
 */
export async function takeBody(raw: IncomingMessage, maxBytes: number): Promise<TakenBody> {
  const announced = raw.headers['content-length']
  const hasBody = raw.headers['transfer-encoding'] !== undefined || Number(announced ?? 0) > 0
  if (!hasBody) return { body: undefined, contentLength: undefined, isStarved: () => false }
  const upload = counted(raw, maxBytes)
  const kept: Uint8Array[] = []
  let size = 0
  for await (const chunk of upload.iterator({ destroyOnReturn: false })) {
    kept.push(chunk)
    size += (chunk as Uint8Array).length
    if (size > MOST_KEPT) break
  }
  const start = Buffer.concat(kept)
  if (size <= MOST_KEPT) return { body: start, contentLength: undefined, isStarved: () => false }
  upload.unshift(start)
  return {
    body: upload,
    contentLength: announced === undefined ? undefined : Number(announced),
    isStarved: () => !raw.complete && upload.readableLength + upload.writableLength === 0,
  }
}

const MOST_KEPT = 1024 * 1024

function counted(raw: IncomingMessage, maxBytes: number): Transform {
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
