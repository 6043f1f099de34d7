import type { FastifyInstance } from 'fastify'
import { compressPages, sendPage } from '../../http/send-page.ts'
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
  let page: string | undefined
  await app.register(async (pages) => {
    await compressPages(pages)
    for (const path of ['/docs', '/docs/'])
      pages.get(path, { schema: { hide: true } }, async (_request, reply) => {
        page ??= renderApiReference(app.swagger() as unknown as OpenApiDocument)
        return sendPage(reply, 200, page)
      })
  })
}
