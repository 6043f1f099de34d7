import type { FastifyInstance } from 'fastify'
import { compressPages, sendPage } from '../../http/send-page.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { renderApiReference } from './render-api-reference.ts'

/** `/api/openapi.json`, and `/docs`, which shows it to people. The page is rendered at its first request. */
export async function apiReference(app: FastifyInstance): Promise<void> {
  app.get('/api/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send(app.swagger()),
  )
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
