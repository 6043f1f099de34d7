import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { toNetworkAddress } from '../../platform/http/client-address.ts'
import { addLogFields, describeRequest } from '../../platform/http/log.ts'
import type { MaybePromise } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Authenticate, RecentToken } from './authenticate.ts'
import {
  type Caller,
  getTenant,
  listSufficientScopes,
  type RouteAccess,
  requireAccess,
} from './caller.ts'
import type { Admission } from './request-queue.ts'
import { countFailures, type RequestRates } from './request-rates.ts'

declare module 'fastify' {
  interface FastifyContextConfig extends RouteAccess {}
}

/**
 * Authenticates every request to the routes of this plugin before any other check, unknown paths included, and then
 * checks the scope of the route. Before its body is read, a request waits in the fair queue of tenants; with a token that
 * was valid recently, it waits there first.
 *
 * @throws ApiError `token_missing`, `token_invalid`, `insufficient_scope`, `overloaded`, `rate_limited` in the `onRequest` hook
 */
export function authenticateRequests(
  app: FastifyInstance,
  authenticate: Authenticate,
  admission: Admission,
  rates: RequestRates,
): void {
  app.addHook('onRoute', addScopeToDescription)
  app.decorateRequest('caller')
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.headers(API_HEADERS)
    done(null, payload)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const admitted = admit(request, reply)
    if (admitted instanceof Promise) admitted.then(() => done(), done)
    else done()
  })

  // The token may have been revoked while the request waited in the queue or sent its body slowly.
  app.addHook('preHandler', (request, reply, done) => {
    if (reply.elapsedTime < LATE_MS) done()
    else reauthenticate(request).then(() => done(), done)
  })

  async function reauthenticate(request: FastifyRequest): Promise<void> {
    checkAccess(request, await authenticate(request.headers.authorization, request.id))
  }

  function admit(request: FastifyRequest, reply: FastifyReply): MaybePromise<unknown> {
    const { authorization } = request.headers
    const recentToken = authenticate.findRecent(authorization)
    const verify = () =>
      andThen(countFailures(rates, request, authenticateRequest), (authenticated) => {
        const caller = setCaller(request, authenticated, () => reauthenticate(request))
        if (caller.rates !== undefined) {
          reply.headers(rates.admit(caller.rates, request.method).headers)
          rates.admitToRoute(caller.rates, request)
        }
        return caller
      })
    const authenticateRequest = () => authenticate(authorization, request.id, recentToken)
    const enter = (tenant: string) => admission.admit(request.raw, reply.raw, tenant)
    const enterEarly = ({ token, access }: RecentToken) => {
      try {
        return enter(getTenant(access))
      } catch (error) {
        // Rejected before it has a caller.
        addLogFields(request, nameCaller({ ...access, tokenId: token.token_id }))
        throw error
      }
    }
    // Then a flood of valid requests waits before it costs a query each.
    if (recentToken !== undefined) return andThen(enterEarly(recentToken), verify)
    return andThen(verify(), (caller) => enter(getTenant(caller)))
  }
}

/** No response of the API may be stored by caches. */
export const API_HEADERS = { 'cache-control': 'no-store' }

/** How old an authentication may be when the operation begins, in milliseconds. */
const LATE_MS = 1_000

function setCaller(
  request: FastifyRequest,
  authenticated: Caller,
  reauthenticate: () => Promise<void>,
): Caller {
  const caller: Caller = {
    ...authenticated,
    ...describeRequest(request),
    reauthenticate,
  }
  request.setDecorator('caller', caller)
  addLogFields(request, nameCaller(caller, getAccountId(request)))
  checkAccess(request, caller)
  return caller
}

function checkAccess(request: FastifyRequest, caller: Caller): void {
  requireAccess(caller, request.routeOptions.config, request.params as object)
}

function getAccountId({ params }: FastifyRequest): string | undefined {
  return (params as { readonly integrationAccountId?: string }).integrationAccountId
}

/** Which customer a log line is about. A token that is bound to no workspace gets its workspace when it is resolved, or something is recorded. */
function nameCaller(
  { tokenId, boundWorkspaceId }: Pick<Caller, 'tokenId' | 'boundWorkspaceId'>,
  accountId = '',
) {
  return {
    tokenId,
    ...(boundWorkspaceId === null ? {} : { workspaceId: boundWorkspaceId }),
    ...(isId('acc', accountId) ? { accountId } : {}),
  }
}

function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

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

/** LINCHPIN_AUDIT_IP: whether the audit trail records the whole address of a client, its network, or none. */
export type AuditIpMode = 'full' | 'network' | 'none'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address as the audit trail records it. */
    readonly auditIp: string | null
  }
}

/** Gives requests the address of their client as the audit trail records it. LINCHPIN_TRUST_PROXY determines the client. */
export function addAuditIp(app: FastifyInstance, mode: AuditIpMode): void {
  app.decorateRequest('auditIp', {
    getter() {
      return toAuditIp(this.ip, mode)
    },
  })
}

/** An address as text; `network` reduces IPv4 to /24 and IPv6 to /48. */
export function toAuditIp(ip: string | undefined, mode: AuditIpMode): string | null {
  if (ip === undefined || mode === 'none') return null
  const network = toNetworkAddress(ip, 48)
  const isIPv4 = IPV4.test(network)
  if (mode === 'network') return isIPv4 ? network.replace(/\d+$/, '0/24') : `${network}/48`
  return (isIPv4 ? network : ip).slice(0, MAX_LENGTH)
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
/** Proxies may send anything in X-Forwarded-For. */
const MAX_LENGTH = 64
