import type { FastifyPluginAsync } from 'fastify'

const DEFAULT_ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" role="img" aria-label="Integration">' +
  '<rect width="40" height="40" rx="9" fill="#eef0f3"/>' +
  '<path d="M16 11v6m8-6v6m-10 0h12v3a6 6 0 0 1-12 0zm6 9v4" fill="none" stroke="#5b6472" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>'

/** The icon of a definition without an icon. */
export const defaultIconRoutes: FastifyPluginAsync = async (app) => {
  app.get('/icons/integration.svg', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('content-type', 'image/svg+xml')
      .header('cache-control', 'public, max-age=86400')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(DEFAULT_ICON),
  )
}
