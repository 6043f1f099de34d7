import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { styleSheet } from './style-sheet.ts'

/**
 * The address of a file that pages load: `page.css`, `link-page.js`, `icons/github.svg`. The hash of its bytes is in its
 * name, so browsers keep it for good. Undefined when there is no such file.
 */
export function assetUrl(name: string): string | undefined {
  const asset = ASSETS.get(name)
  return asset === undefined ? undefined : `/assets/${asset.stem}.${asset.hash}${asset.extension}`
}

/** Serves the files of pages under `/assets/`, compressed once for all who ask. */
export const assetRoutes: FastifyPluginAsync = async (app) => {
  app.get('/assets/*', { schema: { hide: true } }, async (request, reply) => {
    const { '*': asked } = request.params as { '*': string }
    const found = find(asked)
    if (found === undefined) return reply.callNotFound()
    return send(request, reply, found.asset, found.isCurrent)
  })
}

interface Asset {
  readonly stem: string
  readonly hash: string
  readonly extension: string
  readonly bytes: Buffer
  readonly packed: Map<string, Promise<Buffer>>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const PACKERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip),
}

/** Folders of files → what of them is served. Scripts are built, not committed. */
const SOURCES = [
  { folder: new URL('.', import.meta.url), files: ['favicon.svg'] },
  { folder: new URL('../../generated/', import.meta.url), files: ['link-page.js', 'link-why.js'] },
  { folder: new URL('../../../catalogue/', import.meta.url), files: ['icons/*.svg'] },
]

const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['page.css', toAsset('page.css', styleSheet())],
  ...SOURCES.flatMap(({ folder, files }) => {
    const cwd = fileURLToPath(folder)
    return globSync(files, { cwd }).map((file): [string, Asset] => {
      const name = file.replaceAll(path.sep, '/')
      return [name, toAsset(name, readFileSync(path.join(cwd, file)))]
    })
  }),
])

function toAsset(name: string, bytes: Buffer): Asset {
  const extension = path.extname(name)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 10)
  return { stem: name.slice(0, -extension.length), hash, extension, bytes, packed: new Map() }
}

/** While nodes of two versions run, one may be asked for a name of the other: it gives what it has, not to be kept. */
function find(asked: string): { asset: Asset; isCurrent: boolean } | undefined {
  const [, stem, hash, extension] = /^(.+)\.([\w-]{10})(\.[a-z]+)$/.exec(asked) ?? []
  const asset = ASSETS.get(`${stem}${extension}`)
  return asset === undefined ? undefined : { asset, isCurrent: asset.hash === hash }
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  isCurrent: boolean,
): Promise<FastifyReply> {
  const accepted = String(request.headers['accept-encoding'] ?? '').split(/[\s,;]+/)
  const coding = ['br', 'gzip'].find((name) => accepted.includes(name))
  reply
    .header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    .type(TYPES[asset.extension] ?? 'application/octet-stream')
  if (coding === undefined) return reply.send(asset.bytes)
  return reply.header('content-encoding', coding).send(await packed(asset, coding))
}

function packed(asset: Asset, coding: string): Promise<Buffer> {
  const made = asset.packed.get(coding) ?? PACKERS[coding]?.(asset.bytes)
  if (made === undefined) return Promise.resolve(asset.bytes)
  asset.packed.set(coding, made)
  return made
}
