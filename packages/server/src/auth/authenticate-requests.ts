import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Authenticate } from './authenticate.ts'
import { type Caller, requireScope } from './caller.ts'
import { type RequestQueue, tenantOf } from './request-queue.ts'
import { type OperationScope, sufficientScopes } from './scopes.ts'

/** The access control of a route, in its `config`. */
interface RouteAccess {
  /** The required scope. Absent: any valid token. */
  readonly scope?: OperationScope
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteAccess {}
}

/**
 * Authenticates every request to the routes of this plugin before any other check, unknown paths included, and then
 * checks the scope of the route. Before its body is read, a request waits in the fair queue of tenants.
 *
 * @throws ApiError `token_missing`, `token_invalid`, `insufficient_scope`, `overloaded` in the `onRequest` hook
 */
export function authenticateRequests(
  app: FastifyInstance,
  authenticate: Authenticate,
  queue: RequestQueue,
): void {
  app.addHook('onRoute', addScopeToDescription)
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request, reply) => {
    const caller = await authenticate(request.headers.authorization, request.id)
    request.setDecorator('caller', caller)
    const { scope } = request.routeOptions.config
    if (scope !== undefined) requireScope(caller, scope)
    const admission = queue.acquire(tenantOf(caller))
    reply.raw.once('close', admission instanceof Promise ? await admission : admission)
  })
}

/** Appends the required scope to the OpenAPI description of an operation. */
function addScopeToDescription(route: RouteOptions): void {
  const scope = route.config?.scope
  if (scope === undefined || route.schema === undefined) return
  const { description = '' } = route.schema as { description?: string }
  const sentence = `Requires the scope ${sufficientScopes(scope).join(' or ')}.`
  route.schema = { ...route.schema, description: `${description} ${sentence}`.trim() }
}

/** The caller of a request. Only for routes behind `authenticateRequests`. */
export function getCaller(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}
