import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'

/** Finds the methods of a path, so that a wrong method is a 405 with `Allow` instead of a 404. */
export interface MethodTable {
  getMethods(url: string): string[]
}

/** Must be created before the routes are registered: it records them. */
export function createMethodTable(app: FastifyInstance): MethodTable {
  const router = findMyWay({ maxParamLength: 65_536 })
  const methods = new Set<findMyWay.HTTPMethod>()
  app.addHook('onRoute', ({ method, url }) => {
    for (const routeMethod of [method].flat() as findMyWay.HTTPMethod[]) {
      methods.add(routeMethod)
      if (!router.hasRoute(routeMethod, url)) router.on(routeMethod, url, () => undefined)
    }
  })
  return {
    getMethods(url) {
      const path = url.split('?', 1)[0] ?? '/'
      return [...methods].filter((method) => router.find(method, path) !== null).sort()
    },
  }
}
