import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Authenticate } from './authenticate.ts'
import { type Caller, requireScope, type Scope } from './caller.ts'

/** What a route says of who may call it. */
export interface RouteAccess {
  /** The scope that it needs; absent: any live token. */
  readonly scope?: Scope
}

/**
 * Authenticates every request of this scope of routes before anything else is looked at, unknown paths included, and
 * then holds the route's scope against the token's.
 */
export function authenticateRequests(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    const caller = await authenticate(request.headers.authorization, request.id)
    request.setDecorator('caller', caller)
    const { scope } = request.routeOptions.config as RouteAccess
    if (scope !== undefined) requireScope(caller, scope)
  })
}

/** Who calls. Only for routes behind `authenticateRequests`. */
export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}
