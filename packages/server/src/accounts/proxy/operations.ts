import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { operationRoutes, PROXY_ERRORS } from '../../access/operations/define-operation.ts'
import { createResponseSchemas } from '../../platform/http/schema.ts'
import { type ProxyRequestDeps, proxyRequest } from './proxy-request.ts'
import { ProxyParams, WEBDAV_METHODS } from './schemas.ts'
import { type SendProxyRequestDeps, sendProxyRequestOperation } from './send-proxy-request.ts'
import { forwardRequest } from './send-to-provider.ts'

/** Those besides the forwarded requests. */
export const PROXY_OPERATIONS = [sendProxyRequestOperation]

/** `/v1/integration_account/{integrationAccountId}/proxy` and what is below it. */
export function proxyRoutes(deps: SendProxyRequestDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    // Errors before the handler come from Linchpin too.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('linchpin-proxy', 'linchpin')
    })
    await app.register(operationRoutes(PROXY_OPERATIONS, deps))
    await app.register(forwardedRequestRoutes(deps))
  }
}

const FORWARDED_BODY_ERRORS = [...PROXY_ERRORS, 'body_too_large'] as const

/** The operations whose request is the request to the provider, as the OpenAPI document has them. */
export const FORWARDED_OPERATIONS = [
  { id: 'proxyGet', method: 'GET', errors: PROXY_ERRORS },
  { id: 'proxyPost', method: 'POST', errors: FORWARDED_BODY_ERRORS },
  { id: 'proxyPut', method: 'PUT', errors: FORWARDED_BODY_ERRORS },
  { id: 'proxyPatch', method: 'PATCH', errors: FORWARDED_BODY_ERRORS },
  { id: 'proxyDelete', method: 'DELETE', errors: FORWARDED_BODY_ERRORS },
] as const

/** OpenAPI does not have the methods of WebDAV; HEAD and OPTIONS are not worth an operation. */
const UNDOCUMENTED_METHODS = ['HEAD', 'OPTIONS', ...WEBDAV_METHODS]

/** OpenAPI has no wildcards; a parameter that may contain slashes is the closest equivalent. */
const documented = {
  url: '/api/v1/integration_account/:integrationAccountId/proxy/:path',
  params: Type.Object({
    ...ProxyParams.properties,
    path: Type.String({
      description: "Path below the spec's api_base_url, or a URL of an allowed host.",
    }),
  }),
}

/** The request to the provider is the request itself. */
function forwardedRequestRoutes(deps: ProxyRequestDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    // The handler reads bodies of any content type from the raw request.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    for (const method of WEBDAV_METHODS) app.addHttpMethod(method, { hasBody: true })
    const operations = [
      ...FORWARDED_OPERATIONS.map(({ id, method }) => ({ id, method, hide: false })),
      ...UNDOCUMENTED_METHODS.map((method) => ({ id: `proxy${method}`, method, hide: true })),
    ]
    for (const { id, method, hide } of operations)
      app.route({
        method,
        url: '/v1/integration_account/:integrationAccountId/proxy/*',
        config: {
          scope: 'proxy',
          takesAccountTokens: true,
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
          hide,
          operationId: id,
          summary: `Send a ${method} request to the provider as the account`,
          description:
            'Sends query, body and headers to the provider with the credentials of the account, and returns its response unchanged, with any status and content type. The header `linchpin-proxy` is `provider` on responses of the provider and `linchpin` on errors of Linchpin.',
          tags: [sendProxyRequestOperation.tag],
          params: ProxyParams,
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

const PROXY_RESPONSE = {
  description: sendProxyRequestOperation.returns,
  content: { '*/*': { schema: {} } },
}
