import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../../http/send-page.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { renderApiReference } from './render-api-reference.ts'

/** `/api/openapi.json`, and `/docs`, which shows it to people. Both are created at their first request. */
export async function apiReference(app: FastifyInstance): Promise<void> {
  let document: string | undefined
  app.get('/api/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply
      .headers({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' })
      .send(document)
  })
  let page: Promise<RenderedPage> | undefined
  for (const path of ['/docs', '/docs/'])
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      page ??= renderPage(app)
      return sendRenderedPage(request, reply, await page)
    })
}

/** The page, which is the same for everyone: compressed once, because compressing it takes longer than all the rest. */
interface RenderedPage {
  readonly html: string
  readonly compressed: Uint8Array
  readonly etag: string
}

async function renderPage(app: FastifyInstance): Promise<RenderedPage> {
  const html = renderApiReference(app.swagger() as unknown as OpenApiDocument)
  return {
    html,
    compressed: await promisify(gzip)(html, { level: 9 }),
    etag: `W/"${hash('sha256', html, 'base64url')}"`,
  }
}

function sendRenderedPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { html, compressed, etag }: RenderedPage,
): FastifyReply {
  const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
    String(request.headers['accept-encoding'] ?? ''),
  )
  const isUnchanged = request.headers['if-none-match']?.includes(etag) ?? false
  reply.headers({ etag, vary: 'accept-encoding' })
  if (isUnchanged) return sendPage(reply, 304, '', { isPublic: true })
  if (acceptsGzip) reply.header('content-encoding', 'gzip')
  return sendPage(reply, 200, acceptsGzip ? compressed : html, { isPublic: true })
}
