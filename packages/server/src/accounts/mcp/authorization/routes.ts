import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { WorkspaceStore } from '../../../access/workspaces/workspace-store.ts'
import { ApiError, routeNotFound } from '../../../platform/errors.ts'
import { createHourlyLimiter } from '../../../platform/hourly-limiter.ts'
import { toNetworkAddress } from '../../../platform/http/client-address.ts'
import { isJsonObject } from '../../../platform/json.ts'
import { isId } from '../../../platform/storage/id.ts'
import { html } from '../../../platform/ui/html.ts'
import { createPageLayout, sendScreen, statusScreen } from '../../../platform/ui/screen.ts'
import type { AuthorizationError, AuthorizationServer } from './authorization-server.ts'
import { buildResourceMetadata, buildServerMetadata, ENDPOINTS } from './metadata.ts'

export interface AuthorizationRoutesDeps {
  readonly authorizationServer: AuthorizationServer
  readonly workspaces: Pick<WorkspaceStore, 'findWithSignIn' | 'listWithSignIn'>
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: () => string
  /** LINCHPIN_MCP_REGISTRATION. */
  readonly canRegisterClients?: boolean | undefined
  readonly now: () => number
}

/** Registrations of a network in an hour. */
const MAX_REGISTRATIONS = 10
const MAX_BODY = 16_384

/** The endpoints of the authorization server, and the documents that lead clients there. Without a workspace in which people sign in, none of them exists. */
export function authorizationRoutes(deps: AuthorizationRoutesDeps): FastifyPluginAsync {
  return async (app) => {
    metadataRoutes(app, deps)
    await app.register(async (endpoints) => {
      endpoints.addHook('onRequest', () => requireSignIn(deps))
      // The library reads it.
      endpoints.addContentTypeParser(FORM, (_request, _body, done) => done(null))
      const { authorization, token, revocation, jwks } = ENDPOINTS
      for (const url of [authorization, DEFAULTS.authorization])
        endpoints.get(url, ROUTE, answer(deps, authorization))
      endpoints.get<{ Params: { id: string } }>(
        `${authorization}/:id`,
        ROUTE,
        async (request, reply) => {
          const id = encodeURIComponent(request.params.id)
          return answer(deps, `${authorization}/${id}`)(request, reply)
        },
      )
      openRoute(endpoints, { method: 'GET', url: jwks, handler: answer(deps, jwks) })
      for (const [url, path] of [
        [token, token],
        [DEFAULTS.token, token],
        [revocation, revocation],
      ] as const)
        openRoute(endpoints, { method: 'POST', url, handler: answer(deps, path) })
      if (deps.canRegisterClients) registrationRoute(endpoints, deps)
    })
  }
}

/** Where MCP 2025-03-26 expects endpoints without metadata, and claude.ai at times despite them (claude-ai-mcp#962). */
const DEFAULTS = { authorization: '/authorize', token: '/token', registration: '/register' }

const ROUTE = { schema: { hide: true }, exposeHeadRoute: false, config: { isUnlisted: true } }
const FORM = 'application/x-www-form-urlencoded'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

interface OpenRoute {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly bodyLimit?: number
  /** Throws if there is nothing at the URL. */
  readonly onRequest?: (request: FastifyRequest) => Promise<void>
  readonly handler: Handler
}

/**
 * A route for pages of any origin, too, such as clients that run in a browser: it reads no cookie, so that a page gets nothing that
 * others would not.
 */
function openRoute(
  app: FastifyInstance,
  { method, onRequest, handler, ...route }: OpenRoute,
): void {
  app.route({
    ...ROUTE,
    ...route,
    method: [method, 'OPTIONS'],
    onRequest: async (request, reply) => {
      await onRequest?.(request)
      reply.header('access-control-allow-origin', '*')
      if (request.method !== 'OPTIONS') return
      return reply
        .headers({ ...PREFLIGHT, 'access-control-allow-methods': method })
        .code(204)
        .send()
    },
    handler,
  })
}

/** `*` stands for all headers but this one. */
const PREFLIGHT = {
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': '3600',
}

/** @throws ApiError `route_not_found`: no workspace has `agents.signInURL` */
async function requireSignIn({ workspaces }: AuthorizationRoutesDeps): Promise<void> {
  const [workspace] = await workspaces.listWithSignIn(1)
  if (workspace === undefined) throw routeNotFound()
}

/** RFC 8414 section 3, RFC 9728 section 3.1: documents of an issuer with a path have this path at their end. */
function metadataRoutes(app: FastifyInstance, deps: AuthorizationRoutesDeps): void {
  const documentRoute = (url: string, check: (path: string) => Promise<unknown>, build: Build) =>
    openRoute(app, {
      method: 'GET',
      url,
      onRequest: async (request) => void (await check(getLastPath(request))),
      handler: async (request, reply) =>
        reply.header('cache-control', 'no-store').send(build(getLastPath(request))),
    })
  const checkServer = (path: string) => {
    const { pathname } = new URL(deps.baseUrl())
    // Clients that skip the metadata of the resource look for those of the server there.
    return path === '' || path === pathname ? requireSignIn(deps) : requireMcpServer(deps, path)
  }
  const buildServer = () => buildServerMetadata(deps.baseUrl(), deps.canRegisterClients === true)
  for (const name of ['oauth-authorization-server', 'openid-configuration'])
    for (const path of ['', '/*'])
      documentRoute(`/.well-known/${name}${path}`, checkServer, buildServer)
  documentRoute(
    '/.well-known/oauth-protected-resource/*',
    (path) => requireMcpServer(deps, path),
    (path) => buildResourceMetadata(deps.baseUrl(), path.slice(path.lastIndexOf('/') + 1)),
  )
}

type Build = (path: string) => object

/** What a wildcard stands for, as a path; empty without one. */
function getLastPath(request: FastifyRequest): string {
  const { '*': path = '' } = request.params as { readonly '*'?: string }
  return path === '' ? '' : `/${path}`
}

/** @throws ApiError `route_not_found`: it is not the path of an MCP server of a workspace in which people sign in */
async function requireMcpServer(
  { workspaces, baseUrl }: AuthorizationRoutesDeps,
  path: string,
): Promise<void> {
  const { pathname } = new URL(baseUrl())
  const prefix = pathname.replace(/\/$/, '')
  const ownPath = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
  const [, workspaceId = ''] = /^\/mcp\/([^/]+)$/.exec(ownPath) ?? []
  const workspace = isId('wsp', workspaceId)
    ? await workspaces.findWithSignIn(workspaceId)
    : undefined
  if (workspace === undefined) throw routeNotFound()
}

/** Passes a request to the library, which has sent the response afterwards unless it is for a person. */
function answer({ authorizationServer }: AuthorizationRoutesDeps, path: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const error = await authorizationServer.handle({ request, reply }, path)
    if (error !== undefined) return sendErrorScreen(request, reply, error)
    return reply.hijack()
  }
}

function sendErrorScreen(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, code, description }: AuthorizationError,
): FastifyReply {
  const layout = createPageLayout(request)
  const note = html`<pre class="exact" dir="ltr"><code>${`${code}: ${description}`}</code></pre>`
  const screen = statusScreen('signInInvalid', layout.messages.consent.invalid, {
    status,
    mark: 'bad',
    note,
  })
  return sendScreen(reply, layout, screen)
}

/** RFC 7591 section 3. */
function registrationRoute(app: FastifyInstance, deps: AuthorizationRoutesDeps): void {
  const limiter = createHourlyLimiter({ limit: MAX_REGISTRATIONS, now: deps.now })
  const register: Handler = async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const seconds = limiter.take(toNetworkAddress(request.ip, 64))
    if (seconds > 0)
      throw new ApiError('rate_limited', 'Too many registrations from this network.', {
        headers: { 'retry-after': String(seconds) },
      })
    const metadata = isJsonObject(request.body) ? request.body : {}
    const registered = await deps.authorizationServer.register(metadata)
    if (!('code' in registered)) return reply.code(201).send(registered)
    const { code: error, description: error_description } = registered as AuthorizationError
    return reply.code(400).send({ error, error_description })
  }
  for (const url of [ENDPOINTS.registration, DEFAULTS.registration])
    openRoute(app, { method: 'POST', url, bodyLimit: MAX_BODY, handler: register })
}
