import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'

/** Answers which methods a path takes, so that a wrong method is 405 with `Allow` and not 404. */
export interface MethodTable {
  methodsOf(url: string): string[]
}

/** Must be made before the routes are: it listens to their registration. */
export function createMethodTable(app: FastifyInstance): MethodTable {
  const table = findMyWay({ maxParamLength: 65_536 })
  const methods = new Set<findMyWay.HTTPMethod>()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat() as findMyWay.HTTPMethod[]) {
      methods.add(one)
      if (!table.hasRoute(one, url)) table.on(one, url, () => undefined)
    }
  })
  return {
    methodsOf(url) {
      const path = url.split('?', 1)[0] ?? '/'
      return [...methods].filter((method) => table.find(method, path) !== null).sort()
    },
  }
}
