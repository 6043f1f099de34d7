import type { FastifyPluginAsync } from 'fastify'
import { ApiError } from '../../platform/errors.ts'
import type { DefinitionIconStore } from './definition-icon-store.ts'

/** `GET /icons/{hash}.{png|webp}`, public: the icons that workspaces have set. The bytes at a URL never change. */
export function iconRoute({ icons }: { readonly icons: DefinitionIconStore }): FastifyPluginAsync {
  return async (app) => {
    app.get('/icons/:file', { schema: { hide: true } }, async (request, reply) => {
      const { file } = request.params as { file: string }
      const icon = /^[0-9a-f]{64}\.(?:png|webp)$/.test(file)
        ? await icons.find(`/icons/${file}`)
        : undefined
      if (icon === undefined) throw new ApiError('route_not_found', 'This URL does not exist.')
      return reply
        .type(icon.mediaType)
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(Buffer.from(icon.content))
    })
  }
}
