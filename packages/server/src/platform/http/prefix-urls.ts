import type { FastifyInstance } from 'fastify'

/**
 * Lets pages work under a path of the public URL that a reverse proxy removes: the paths in their links, forms, scripts and
 * images get that path in front. Redirects and the `Link` header contain the whole public URL already.
 *
 * One place instead of one argument for everything that renders a path: a page that is added later works as well.
 */
export function prefixUrls(app: FastifyInstance, baseUrl: () => string): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const prefix = new URL(baseUrl()).pathname.replace(/\/$/, '')
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
    if (prefix === '' || !isPage || typeof payload !== 'string') return done(null, payload)
    // In texts and in values of attributes, pages escape quotes: what matches is an attribute. `//host` is no path.
    done(
      null,
      payload.replace(PATH_ATTRIBUTE, (_match, name) => `${name}="${prefix}/`),
    )
  })
}

/** Attributes of our pages that contain a URL. */
const PATH_ATTRIBUTE = /(?<=\s)(href|src|action|formaction|poster|data-path)="\/(?!\/)/g
