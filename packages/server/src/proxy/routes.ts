import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { responseSchemas } from '../http/schema.ts'
import { type ProxyRequestDeps, proxyRequest } from './proxy-request.ts'

const tags = ['Integration accounts']
const params = Type.Object({
  integrationAccountId: Type.String({ description: 'Identifier of the integration account.' }),
})

/** OpenAPI has no wildcards; a parameter that may hold slashes is the nearest. */
const documented = {
  url: '/api/v1/integration_account/:integrationAccountId/proxy/:path',
  params: Type.Object({
    ...params.properties,
    path: Type.String({
      description: 'Path below the api_base_url of the spec, or a URL of an allowed host.',
    }),
  }),
}

const PROXY_RESPONSE = {
  description: "The provider's answer, of whatever status.",
  content: { '*/*': { schema: {} } },
}

/** Of calendars, address books and files (WebDAV, RFC 4918; CalDAV, RFC 4791; RFC 5323; RFC 6578). */
export const WEBDAV_METHODS = [
  ...['PROPFIND', 'PROPPATCH', 'REPORT', 'MKCOL', 'MKCALENDAR'],
  ...['COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH'],
]

/** Method and operationId. OpenAPI has room for the first five; HEAD goes the way of GET. */
const OPERATIONS = [
  ['GET', 'proxyGet'],
  ['POST', 'proxyPost'],
  ['PUT', 'proxyPut'],
  ['PATCH', 'proxyPatch'],
  ['DELETE', 'proxyDelete'],
  ['HEAD', 'proxyHead'],
  ['OPTIONS', 'proxyOptions'],
  ...WEBDAV_METHODS.map((method) => [method, `proxy${method}`] as const),
] as const

const DOCUMENTED_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** `/v1/integration_account/{integrationAccountId}/proxy/*` */
export function proxyRoutes(deps: ProxyRequestDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    // Bodies of every type are the provider's business: the handler takes them from the wire.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    for (const method of WEBDAV_METHODS) app.addHttpMethod(method, { hasBody: true })
    // Refusals that come before the handler are Linchpin's too.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('linchpin-proxy', 'linchpin')
    })
    for (const [method, operationId] of OPERATIONS)
      app.route({
        method,
        url: '/v1/integration_account/:integrationAccountId/proxy/*',
        config: {
          scope: 'proxy',
          rawQuery: true,
          swaggerTransform: ({ schema }: { schema: object }) => ({
            url: documented.url,
            schema: { ...schema, params: documented.params },
          }),
        },
        exposeHeadRoute: false,
        schema: {
          hide: !DOCUMENTED_METHODS.has(method),
          operationId,
          summary: `Send ${method} to the provider as the account`,
          description:
            'Query, body and headers go to the provider with the credentials of the account, and its answer comes back as it is: any status, any type. The header `linchpin-proxy` is `provider` on those and `linchpin` on refusals of Linchpin.',
          tags,
          params,
          response: { ...responseSchemas(200, Type.Unknown(), ''), 200: PROXY_RESPONSE },
        },
        handler: (request, reply) =>
          proxyRequest(
            deps,
            getCaller(request),
            request.params.integrationAccountId,
            request,
            reply,
          ),
      })
  }
}
