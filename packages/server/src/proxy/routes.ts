import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { AccountId } from '../accounts/account.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { createResponseSchemas, IdOf } from '../http/schema.ts'
import { forwardRequest } from './outgoing-request.ts'
import { type ProxyRequestDeps, proxyRequest } from './proxy-request.ts'

const tags = ['Integration accounts']
const params = Type.Object({
  integrationAccountId: IdOf<AccountId>({ description: 'ID of the integration account.' }),
})

/** OpenAPI has no wildcards; a parameter that may contain slashes is the closest equivalent. */
const documented = {
  url: '/api/v1/integration_account/:integrationAccountId/proxy/:path',
  params: Type.Object({
    ...params.properties,
    path: Type.String({
      description: "Path below the spec's api_base_url, or a URL of an allowed host.",
    }),
  }),
}

const PROXY_RESPONSE = {
  description: "The provider's response, with any status.",
  content: { '*/*': { schema: {} } },
}

/** Methods of WebDAV, CalDAV and CardDAV (RFC 4918; RFC 4791; RFC 5323; RFC 6578). */
export const WEBDAV_METHODS = [
  ...['PROPFIND', 'PROPPATCH', 'REPORT', 'MKCOL', 'MKCALENDAR'],
  ...['COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH'],
]

/** Method and operationId. OpenAPI supports the first five; HEAD is handled like GET. */
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
    // The handler reads bodies of any content type from the raw request.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    for (const method of WEBDAV_METHODS) app.addHttpMethod(method, { hasBody: true })
    // Errors before the handler come from Linchpin too.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('linchpin-proxy', 'linchpin')
    })
    for (const [method, operationId] of OPERATIONS)
      app.route({
        method,
        url: '/v1/integration_account/:integrationAccountId/proxy/*',
        config: {
          scope: 'proxy',
          rate: 'proxy',
          rawQuery: true,
          ignoresIdempotencyKey: true,
          swaggerTransform: ({ schema }: { schema: object }) => ({
            url: documented.url,
            schema: { ...schema, params: documented.params },
          }),
        },
        exposeHeadRoute: false,
        schema: {
          hide: !DOCUMENTED_METHODS.has(method),
          operationId,
          summary: `Send a ${method} request to the provider as the account`,
          description:
            'Sends query, body and headers to the provider with the credentials of the account, and returns its response unchanged, with any status and content type. The header `linchpin-proxy` is `provider` on responses of the provider and `linchpin` on errors of Linchpin.',
          tags,
          params,
          response: { ...createResponseSchemas(200, Type.Unknown(), ''), 200: PROXY_RESPONSE },
        },
        handler: (request, reply) =>
          proxyRequest(
            deps,
            getCaller(request),
            request.params.integrationAccountId,
            forwardRequest(request),
            reply,
          ),
      })
  }
}
