import type { FastifyInstance, FastifyRequest } from 'fastify'
import { routeNotFound } from '../errors.ts'
import { getRequestedUrl } from './browser-request.ts'

export interface ConsoleHostDeps {
  /** The public base URL. */
  readonly baseUrl: () => string
  /** The base URL of the console: the public one, or one with a host of its own. */
  readonly consoleUrl: () => string
}

/** What the pages of both hosts need. */
const SHARED = /^\/(?:assets|docs|guides|health|icons)(?:\/|$)/

/**
 * With a host of its own, such as in a VPN, the console is only there, and everything else only under the public URL: a person on
 * the public host finds no sign-in, and a program in the VPN no API.
 */
export function separateConsole(app: FastifyInstance, deps: ConsoleHostDeps): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isServed(deps, request)) done()
    else done(routeNotFound())
  })
}

/** Whether a request was sent to a host of the console's own. */
export function isOnConsoleHost(
  deps: ConsoleHostDeps,
  request: Pick<FastifyRequest, 'headers'>,
): boolean {
  const own = new URL(deps.consoleUrl())
  return hasConsoleHost(deps) && getRequestedUrl(request, own.protocol)?.host === own.host
}

/** Whether the console has a host of its own. */
export function hasConsoleHost({ baseUrl, consoleUrl }: ConsoleHostDeps): boolean {
  const [base, own] = [baseUrl(), consoleUrl()]
  return base !== own && new URL(base).host !== new URL(own).host
}

function isServed(deps: ConsoleHostDeps, request: FastifyRequest): boolean {
  if (!hasConsoleHost(deps)) return true
  // That of the route, because the router decodes what was requested.
  const { url: path } = request.routeOptions
  if (path === undefined || path === '/' || SHARED.test(path)) return true
  const isConsole = path === '/console' || path.startsWith('/console/')
  return isConsole === isOnConsoleHost(deps, request)
}
