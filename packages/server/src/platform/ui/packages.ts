import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { FastifyPluginAsync } from 'fastify'

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
      const etag = `"${createHash('sha256').update(tarball).digest('base64url').slice(0, 22)}"`
      app.get(`/${name}.tgz`, { schema: { hide: true } }, async (request, reply) => {
        reply
          .header('cache-control', 'no-cache')
          .header('etag', etag)
          .header('x-content-type-options', 'nosniff')
          .type('application/gzip')
        if (request.headers['if-none-match'] === etag) return reply.code(304).send()
        return reply.send(tarball)
      })
    }
  }
}
