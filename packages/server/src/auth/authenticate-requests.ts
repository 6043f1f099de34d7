import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Authenticate } from './authenticate.ts'
import { type Caller, requireScope } from './caller.ts'
import { type RequestQueue, tenantOf } from './request-queue.ts'
import { listSufficientScopes, type OperationScope } from './scopes.ts'

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
 * checks the scope of the route. Before its body is read, a request waits in the fair queue of tenants; with a token that
 * was valid recently, it waits there first.
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
  const recentTenants = createRecentTenants()
  app.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers
    const enter = async (tenant: string) => {
      const admission = queue.acquire(tenant)
      reply.raw.once('close', admission instanceof Promise ? await admission : admission)
    }
    // Then a flood of valid requests waits before it costs a query each.
    const expectedTenant = recentTenants.get(authorization)
    if (expectedTenant !== undefined) await enter(expectedTenant)
    const caller = await authenticate(authorization, request.id)
    request.setDecorator('caller', caller)
    const { scope } = request.routeOptions.config
    if (scope !== undefined) requireScope(caller, scope)
    if (expectedTenant !== undefined) return
    const tenant = tenantOf(caller)
    recentTenants.set(authorization, tenant)
    await enter(tenant)
  })
}

/** Remembers which tenants recently verified tokens belong to, by hash. It decides about nothing but the queue. */
function createRecentTenants() {
  const tenants = new Map<string, string>()
  const keyOf = (authorization = '') => hash('sha256', authorization)
  return {
    get: (authorization: string | undefined) => tenants.get(keyOf(authorization)),
    set(authorization: string | undefined, tenant: string) {
      if (tenants.size >= MAX_RECENT_TENANTS) tenants.clear()
      tenants.set(keyOf(authorization), tenant)
    },
  }
}

const MAX_RECENT_TENANTS = 1_000

/** Appends the required scope to the OpenAPI description of an operation. */
function addScopeToDescription(route: RouteOptions): void {
  const scope = route.config?.scope
  if (scope === undefined || route.schema === undefined) return
  const { description = '' } = route.schema as { description?: string }
  const sentence = `Requires the scope ${listSufficientScopes(scope).join(' or ')}.`
  route.schema = { ...route.schema, description: `${description} ${sentence}`.trim() }
}

/** The caller of a request. Only for routes behind `authenticateRequests`. */
export function getCaller(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}
