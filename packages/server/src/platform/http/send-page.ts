import { hash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Options that relax the default policy of a page. */
export interface PagePermissions {
  /** Nonce of styles and scripts (`generateNonce`); without it only our style sheet is allowed. */
  readonly nonce?: string | undefined
  /** False restricts the nonce to styles. */
  readonly allowsScripts?: boolean | undefined
  /** Allows scripts of our origin: for pages that are the same for everyone, whose responses have no nonce. */
  readonly allowsOwnScripts?: boolean | undefined
  /** For embeddable pages: the origins that may frame the page; empty for none. */
  readonly frameAncestors?: readonly string[] | undefined
  /** Forms may be submitted to us only, redirects included. */
  readonly sameOriginOnly?: boolean | undefined
  /** Further origins, or schemes of applications, that forms may lead to besides https and loopback, redirects included. */
  readonly formOrigins?: readonly string[] | undefined
  /** The page is in a popup: keep its opener relation, so that it can be closed. */
  readonly isPopup?: boolean | undefined
}

/** Sends an HTML page with a strict CSP: no third-party resources, no framing unless allowed, no referrer. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  page: string,
  permissions: PagePermissions = {},
): FastifyReply {
  return setSecurityHeaders(reply, permissions)
    .code(status)
    .type('text/html; charset=utf-8')
    .send(page)
}

/** Sends an HTML page that is the same for everyone; browsers ask each time whether theirs is still current. */
export function sendStaticPage(
  request: FastifyRequest,
  reply: FastifyReply,
  body: StaticBody,
): Promise<FastifyReply> {
  setSecurityHeaders(reply, { allowsOwnScripts: true, sameOriginOnly: true })
    .header('cache-control', 'public, no-cache')
    .type('text/html; charset=utf-8')
  return sendStaticBody(request, reply, body)
}

/** Redirects without a referrer. A redirect does not sever the opener relation. */
export function redirect(reply: FastifyReply, url: string): FastifyReply {
  return setSecurityHeaders(reply, { isPopup: true }).header('location', url).code(303).send()
}

function setSecurityHeaders(reply: FastifyReply, permissions: PagePermissions): FastifyReply {
  const isFramed = permissions.frameAncestors !== undefined
  reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', buildContentSecurityPolicy(permissions))
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', isFramed ? 'cross-origin' : 'same-origin')
  // `X-Frame-Options` can't list origins, so embeddable pages rely on CSP. COOP applies to top-level pages only, and isolated
  // pages can't be framed. Embedded pages read no cookies, so loading one reveals nothing about the user.
  if (isFramed) return reply.header('cross-origin-embedder-policy', 'require-corp')
  reply.header('x-frame-options', 'DENY')
  return permissions.isPopup === true
    ? reply
    : reply.header('cross-origin-opener-policy', 'same-origin-allow-popups')
}

/**
 * `form-action` also applies to redirects after a form. A sign-in may redirect through any number of hosts, so all https
 * origins are allowed, and loopback for development. Other http origins require an operator's permission.
 */
function buildContentSecurityPolicy({
  nonce,
  allowsScripts = nonce !== undefined,
  allowsOwnScripts = false,
  frameAncestors = [],
  formOrigins = [],
  sameOriginOnly = false,
}: PagePermissions): string {
  const nonceSource = nonce === undefined ? '' : `'nonce-${nonce}'`
  const ancestors = frameAncestors.filter((origin) => ORIGIN_PATTERN.test(origin))
  const externalTargets = [
    HTTPS_AND_LOOPBACK,
    ...formOrigins.filter((origin) => ORIGIN_PATTERN.test(origin) || SCHEME_PATTERN.test(origin)),
  ]
  const formActions = ["'self'", ...(sameOriginOnly ? [] : externalTargets)]
  return [
    "default-src 'none'",
    ...(!allowsScripts ? [] : [`script-src ${nonceSource}`, "connect-src 'self'"]),
    ...(!allowsOwnScripts ? [] : ["script-src 'self'", "connect-src 'self'"]),
    `style-src 'self' ${nonceSource}`.trimEnd(),
    "img-src 'self'",
    "font-src 'self'",
    `form-action ${formActions.join(' ')}`,
    "base-uri 'none'",
    "object-src 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
  ].join('; ')
}

const HTTPS_AND_LOOPBACK = 'https: http://localhost:* http://127.0.0.1:*'

/** An origin without characters that could end or widen the directive. */
const ORIGIN_PATTERN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/
/** The scheme of an application on the device. */
const SCHEME_PATTERN = /^(?!(?:https?|data|blob|javascript|filesystem):)[a-z][a-z0-9+.-]{0,60}:$/

/** Generates the CSP nonce of a response: 128 random bits (CSP level 3). */
export function generateNonce(): string {
  return randomBytes(16).toString('base64url')
}

/** Compresses the HTML responses of a plugin at a low level, since they are rendered per request. */
export async function compressPages(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    global: true,
    // No browser compresses forms, and 8 kB can become 8 MB.
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    threshold: 1_024,
    customTypes: /^text\/html/,
    // A window of 256 kB holds every page. The default of 4 MB is allocated for each response.
    brotliOptions: {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
    },
    zlibOptions: { level: 6 },
    syncThreshold: MAX_SYNC_BYTES,
  })
}

/** Such a page takes less than a millisecond to compress at once; a stream and its turns on other threads cost more than that. */
const MAX_SYNC_BYTES = 128 * 1_024

/** A body that is the same for everyone. It is compressed once for each encoding, beside the event loop. */
export interface StaticBody {
  readonly bytes: Buffer
  /** Weak (RFC 9110 section 8.8.3), because all encodings share it. */
  readonly etag: string
  readonly compressed: Map<string, Promise<Buffer>>
}

export function createStaticBody(bytes: Buffer): StaticBody {
  return { bytes, etag: `W/${createEtag(bytes)}`, compressed: new Map() }
}

/** A strong entity tag (RFC 9110 section 8.8.3) of a body with one encoding. */
export function createEtag(body: Uint8Array | string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
}

/** Whether a client has the body with this tag (RFC 9110, section 13.1.2). Compressing proxies make tags weak. */
export function hasEtag({ headers }: Pick<IncomingMessage, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match']?.split(',') ?? []
  return known.some((each) => [toOpaqueTag(etag), '*'].includes(toOpaqueTag(each.trim())))
}

function toOpaqueTag(etag: string): string {
  return etag.replace(/^W\//, '')
}

/** Sends the body in an encoding that the client accepts, or 304 to a client that has it. */
export async function sendStaticBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: StaticBody,
): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding').header('etag', body.etag)
  if (hasEtag(request, body.etag)) return reply.code(304).send()
  const encoding = Object.keys(COMPRESSORS).find((name) => accepts(request, name))
  if (encoding === undefined) return reply.send(body.bytes)
  return reply.header('content-encoding', encoding).send(await compressBody(body, encoding))
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

function compressBody(body: StaticBody, encoding: string): Promise<Buffer> {
  const result = body.compressed.get(encoding) ?? COMPRESSORS[encoding]?.(body.bytes)
  if (result === undefined) return Promise.resolve(body.bytes)
  body.compressed.set(encoding, result)
  return result
}
