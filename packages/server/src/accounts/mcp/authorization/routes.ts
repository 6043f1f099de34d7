import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { WorkspaceStore } from '../../../access/workspaces/workspace-store.ts'
import { ApiError } from '../../../platform/errors.ts'
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
      for (const path of [authorization, jwks]) endpoints.get(path, ROUTE, answer(deps, path))
      for (const path of [token, revocation]) endpoints.post(path, ROUTE, answer(deps, path))
      endpoints.get<{ Params: { id: string } }>(
        `${authorization}/:id`,
        ROUTE,
        async (request, reply) => {
          const id = encodeURIComponent(request.params.id)
          return answer(deps, `${authorization}/${id}`)(request, reply)
        },
      )
      if (deps.canRegisterClients) registrationRoute(endpoints, deps)
    })
  }
}

const ROUTE = { schema: { hide: true }, exposeHeadRoute: false }
const FORM = 'application/x-www-form-urlencoded'

/** @throws ApiError `route_not_found`: no workspace has `agents.signInURL` */
async function requireSignIn({ workspaces }: AuthorizationRoutesDeps): Promise<void> {
  const [workspace] = await workspaces.listWithSignIn(1)
  if (workspace === undefined) throw createNotFoundError()
}

function createNotFoundError(): ApiError {
  return new ApiError('route_not_found', 'There is no route at this path.')
}

/** RFC 8414 section 3, RFC 9728 section 3.1: documents of an issuer with a path have this path at their end. */
function metadataRoutes(app: FastifyInstance, deps: AuthorizationRoutesDeps): void {
  const send = (reply: FastifyReply, document: object) =>
    reply
      .header('access-control-allow-origin', '*')
      .header('cache-control', 'no-store')
      .send(document)
  const sendServer = async (request: FastifyRequest, reply: FastifyReply) => {
    const baseUrl = deps.baseUrl()
    const { '*': path = '' } = request.params as { readonly '*'?: string }
    const { pathname } = new URL(baseUrl)
    if (path === '' || `/${path}` === pathname) await requireSignIn(deps)
    // Clients that skip the metadata of the resource look for those of the server there.
    else await requireMcpServer(deps, `/${path}`)
    return send(reply, buildServerMetadata(baseUrl, deps.canRegisterClients === true))
  }
  for (const name of ['oauth-authorization-server', 'openid-configuration'])
    for (const path of ['', '/*']) app.get(`/.well-known/${name}${path}`, ROUTE, sendServer)
  app.get<{ Params: { '*': string } }>(
    '/.well-known/oauth-protected-resource/*',
    ROUTE,
    async ({ params }, reply) => {
      const workspaceId = await requireMcpServer(deps, `/${params['*']}`)
      return send(reply, buildResourceMetadata(deps.baseUrl(), workspaceId))
    },
  )
}

/** @throws ApiError `route_not_found`: it is not the path of an MCP server of a workspace in which people sign in */
async function requireMcpServer(
  { workspaces, baseUrl }: AuthorizationRoutesDeps,
  path: string,
): Promise<WorkspaceId> {
  const { pathname } = new URL(baseUrl())
  const prefix = pathname.replace(/\/$/, '')
  const ownPath = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
  const [, workspaceId = ''] = /^\/mcp\/([^/]+)$/.exec(ownPath) ?? []
  const workspace = isId('wsp', workspaceId)
    ? await workspaces.findWithSignIn(workspaceId)
    : undefined
  if (workspace === undefined) throw createNotFoundError()
  return workspace.workspaceId
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
  const options = { ...ROUTE, bodyLimit: MAX_BODY }
  app.post(ENDPOINTS.registration, options, async (request, reply) => {
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
  })
}
