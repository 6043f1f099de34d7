import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  createEtag,
  createStaticBody,
  hasEtag,
  type StaticBody,
  sendStaticBody,
} from '../http/send-page.ts'
import { Html } from './html.ts'

/**
 * The URL of an asset, such as `page.css`, `link-page.js` or `icons/github.svg`. It contains the hash of the file, so browsers
 * may cache it forever. Undefined for an unknown file.
 */
export function getAssetUrl(name: string): string | undefined {
  const asset = ASSETS.get(name)
  return asset === undefined ? undefined : `/assets/${asset.stem}.${asset.hash}${asset.extension}`
}

/** Serves the assets under `/assets/`, compressed once. */
export const assetRoutes: FastifyPluginAsync = async (app) => {
  app.get('/assets/*', { schema: { hide: true } }, async (request, reply) => {
    const { '*': requestedName } = request.params as { '*': string }
    const match = findAsset(requestedName)
    if (match === undefined) return reply.callNotFound()
    return sendAsset(request, reply, match.asset, match.isCurrent)
  })
}

interface Asset {
  readonly stem: string
  readonly hash: string
  readonly extension: string
  readonly body: StaticBody
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Inter for Latin text in the weights 400 to 600; `fonts/README.md` says how it was made. */
const FONT = 'fonts/inter.woff2'

/** Of rows, a file because a list has many. */
const CHEVRON = 'chevron.svg'

/** The served files of each folder. Scripts are built, not committed. */
const SOURCES = [
  { folder: new URL('.', import.meta.url), files: ['favicon.svg', CHEVRON, FONT] },
  {
    folder: new URL('../../../generated/', import.meta.url),
    files: [
      'link-page.js',
      'link-frame.js',
      'link-closed.js',
      'link-why.js',
      'documentation.js',
      'console.js',
    ],
  },
  { folder: new URL('../../../../catalogue/', import.meta.url), files: ['icons/*.svg'] },
]

/** The parts of the style sheet in cascade order. */
const STYLE_PARTS = [
  'tokens',
  'base',
  'card',
  'head',
  'button',
  'notice',
  'scopes',
  'list',
  'form',
  'search',
  'footer',
] as const

/** The parts of the style sheet of the documentation. */
const DOCUMENTATION_STYLE_PARTS = ['tokens', 'base', 'documentation'] as const

/** The parts of the style sheet of the console. */
const CONSOLE_STYLE_PARTS = ['tokens', 'console', 'console-parts'] as const

const FILES: ReadonlyMap<string, Asset> = new Map(
  SOURCES.flatMap(({ folder, files }) => {
    const cwd = fileURLToPath(folder)
    return globSync(files, { cwd }).map((file): [string, Asset] => {
      const name = file.replaceAll(path.sep, '/')
      return [name, toAsset(name, readFileSync(path.join(cwd, file)))]
    })
  }),
)

const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['page.css', toAsset('page.css', getStyleSheet())],
  ['documentation.css', toAsset('documentation.css', getStyleSheet(DOCUMENTATION_STYLE_PARTS))],
  ['console.css', toAsset('console.css', getStyleSheet(CONSOLE_STYLE_PARTS))],
  ...FILES,
])

/** A style sheet without comments and indentation; by default that of our pages. */
export function getStyleSheet(names: readonly string[] = STYLE_PARTS): Buffer {
  const parts = names.map((part) =>
    readFileSync(new URL(`./styles/${part}.css`, import.meta.url), 'utf8'),
  )
  const source = parts.join('').replace(/\/\*.*?\*\//gs, '')
  const rules = source.replace(/([,:;{}])\s*\n\s*/g, '$1').replace(/\s*\n\s*/g, ' ')
  return Buffer.from(`${getFileRules()}${rules}`)
}

/** Names files relative to the style sheet. `optional`: a font that is late must not move the text that is read. */
function getFileRules(): string {
  const [font, chevron] = [FONT, CHEVRON].map((name) => FILES.get(name)?.hash)
  return [
    `@font-face{font-family:Inter;font-weight:400 600;font-display:optional;src:url(fonts/inter.${font}.woff2) format("woff2")}`,
    `:root{--chevron:url(chevron.${chevron}.svg)}`,
  ].join('')
}

function toAsset(name: string, bytes: Buffer): Asset {
  const extension = path.extname(name)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 10)
  return { stem: name.slice(0, -extension.length), hash, extension, body: createStaticBody(bytes) }
}

/** During a rolling upgrade a node may receive the URL of another version; it sends its own file, uncached. */
function findAsset(requestedName: string): { asset: Asset; isCurrent: boolean } | undefined {
  const [, stem, hash, extension] = /^(.+)\.([\w-]{10})(\.[a-z0-9]+)$/.exec(requestedName) ?? []
  const asset = ASSETS.get(`${stem}${extension}`)
  return asset === undefined ? undefined : { asset, isCurrent: asset.hash === hash }
}

async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  isCurrent: boolean,
): Promise<FastifyReply> {
  reply
    .header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    .type(TYPES[asset.extension] ?? 'application/octet-stream')
  // A font is compressed already.
  if (asset.extension === '.woff2') return reply.send(asset.body.bytes)
  return sendStaticBody(request, reply, asset.body)
}

const SOURCE = readFileSync(new URL('./favicon.svg', import.meta.url), 'utf8')

/** Our logo, for pages that are about Linchpin. The pages that customers see have the logo of the product. */
export function logo(size = 24): Html {
  const hidden = SOURCE.replace(/<title>.*?<\/title>/, '').trim()
  return new Html(
    hidden.replace('<svg ', `<svg width="${size}" height="${size}" aria-hidden="true" `),
  )
}

/**
 * Serves `/link.js`, the script that hosts embed. Any page may load it, also with subresource integrity: the header
 * `x-linchpin-integrity` contains the hash. Cached for five minutes, then revalidated by ETag.
 */
export const linkScriptRoute: FastifyPluginAsync = async (app) => {
  const file = fileURLToPath(new URL('../../../generated/link.js', import.meta.url))
  if (!existsSync(file)) return
  const source = readFileSync(file)
  const integrity = `sha384-${createHash('sha384').update(source).digest('base64')}`
  const body = createStaticBody(source)
  app.get('/link.js', { schema: { hide: true } }, (request, reply) => {
    reply
      .header('cache-control', 'public, max-age=300')
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('access-control-allow-origin', '*')
      .header('x-linchpin-integrity', integrity)
      .type('text/javascript; charset=utf-8')
    return sendStaticBody(request, reply, body)
  })
}

const NAMES = ['sdk', 'client', 'cli', 'kit'] as const

/** Where the build puts the packages. */
export const PACKAGES_FOLDER = new URL('../../../generated/packages/', import.meta.url)

/**
 * `GET /sdk.tgz`, `/client.tgz`, `/cli.tgz` and, if it was built, `/kit.tgz`: the packages of this version for
 * `npm install URL`. They are public, as this software is, and contain nothing about this installation.
 */
export function packageRoutes(folder: URL): FastifyPluginAsync {
  return async (app) => {
    for (const name of NAMES) {
      const file = new URL(`${name}.tgz`, folder)
      if (!existsSync(file)) continue
      const tarball = readFileSync(file)
      const etag = createEtag(tarball)
      app.get(`/${name}.tgz`, { schema: { hide: true } }, async (request, reply) => {
        reply
          .header('cache-control', 'no-cache')
          .header('etag', etag)
          .header('x-content-type-options', 'nosniff')
          .type('application/gzip')
        if (hasEtag(request, etag)) return reply.code(304).send()
        return reply.send(tarball)
      })
    }
  }
}
