import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A body that is the same for everyone. It is compressed once for each encoding, beside the event loop. */
export interface StaticBody {
  readonly bytes: Buffer
  /** An entity tag (RFC 9110 section 8.8.3). */
  readonly etag: string
  readonly compressed: Map<string, Promise<Buffer>>
}

export function createStaticBody(bytes: Buffer): StaticBody {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, etag: `"${digest}"`, compressed: new Map() }
}

/** Sends the body in an encoding that the client accepts, or 304 to a client that has it. */
export async function sendStaticBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: StaticBody,
): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding').header('etag', body.etag)
  const known = String(request.headers['if-none-match'] ?? '').split(/\s*,\s*(?:W\/)?/)
  if (known.some((tag) => tag.replace(/^W\//, '') === body.etag)) return reply.code(304).send()
  const encoding = Object.keys(COMPRESSORS).find((name) => accepts(request, name))
  if (encoding === undefined) return reply.send(body.bytes)
  return reply.header('content-encoding', encoding).send(await compress(body, encoding))
}

/** Whether the client lists an encoding, with a weight above 0 (RFC 9110 section 12.5.3). */
function accepts({ headers }: FastifyRequest, encoding: string): boolean {
  return String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim().toLowerCase()))
    .some(([name, weight = 'q=1']) => name === encoding && !/^q=0(?:\.0*)?$/.test(weight))
}

/** In the order of preference. */
const COMPRESSORS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip),
}

function compress(body: StaticBody, encoding: string): Promise<Buffer> {
  const result = body.compressed.get(encoding) ?? COMPRESSORS[encoding]?.(body.bytes)
  if (result === undefined) return Promise.resolve(body.bytes)
  body.compressed.set(encoding, result)
  return result
}
