import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyPluginAsync } from 'fastify'

/**
 * Serves `/link.js`, the script that hosts embed. Any page may load it, also with subresource integrity: the header
 * `x-linchpin-integrity` contains the hash. Cached for five minutes, then revalidated by ETag.
 */
export const linkScriptRoute: FastifyPluginAsync = async (app) => {
  const file = fileURLToPath(new URL('../../../generated/link.js', import.meta.url))
  if (!existsSync(file)) return
  const source = readFileSync(file)
  const integrity = `sha384-${createHash('sha384').update(source).digest('base64')}`
  const compressed = new Map<string, Promise<Buffer>>()
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 22)
  app.get('/link.js', { schema: { hide: true } }, async (request, reply) => {
    const accepted = String(request.headers['accept-encoding'] ?? '').split(/[\s,;]+/)
    const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name))
    // Weak, because all content encodings share it.
    const etag = `W/"${hash}"`
    reply
      .header('cache-control', 'public, max-age=300')
      .header('etag', etag)
      .header('vary', 'accept-encoding')
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('access-control-allow-origin', '*')
      .header('x-linchpin-integrity', integrity)
      .type('text/javascript; charset=utf-8')
    const knownEtags = String(request.headers['if-none-match'] ?? '')
      .split(',')
      .map((each) => each.trim())
    if (knownEtags.includes(etag) || knownEtags.includes(`"${hash}"`)) return reply.code(304).send()
    if (encoding === undefined) return reply.send(source)
    const body = compressed.get(encoding) ?? COMPRESSORS[encoding](source)
    compressed.set(encoding, body)
    return reply.header('content-encoding', encoding).send(await body)
  })
}

const COMPRESSORS = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip),
}
