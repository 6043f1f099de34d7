import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Authenticate } from './authenticate.ts'
import { type Caller, requireScope } from './caller.ts'
import type { RequestQueue } from './request-queue.ts'
import { type OperationScope, sufficientScopes } from './scopes.ts'

/** What a route says of who may call it. */
interface RouteAccess {
  /** The scope that it needs; absent: any live token. */
  readonly scope?: OperationScope
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteAccess {}
}

/**
 * Authenticates every request of this scope of routes before anything else is looked at, unknown paths included, and
 * then holds the route's scope against the token's. Before its body is read, a request waits for its turn among tenants.
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
    const admission = queue.acquire(caller.boundWorkspaceId ?? caller.userId)
    reply.raw.once('close', admission instanceof Promise ? await admission : admission)
  })
}

/** Ends the description of an operation, as OpenAPI shows it, with the scope that the operation needs. */
function addScopeToDescription(route: RouteOptions): void {
  const scope = route.config?.scope
  if (scope === undefined || route.schema === undefined) return
  const { description = '' } = route.schema as { description?: string }
  const sentence = `Needs the scope ${sufficientScopes(scope).join(' or ')}.`
  route.schema = { ...route.schema, description: `${description} ${sentence}`.trim() }
}

/** Who calls. Only for routes behind `authenticateRequests`. */
export function getCaller(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}
