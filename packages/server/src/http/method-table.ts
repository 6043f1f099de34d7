import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'

/** Answers which methods a path takes, so that a wrong method is 405 with `Allow` and not 404. */
export interface MethodTable {
  getMethods(url: string): string[]
}

/** Must be made before the routes are: it listens to their registration. */
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
