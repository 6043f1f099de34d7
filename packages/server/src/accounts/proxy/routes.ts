import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { LargeBodies } from '../../access/auth/large-bodies.ts'
import { createResponseSchemas, EmptyQuery, IdOf, ref } from '../../platform/http/schema.ts'
import type { AccountId } from '../accounts/account.ts'
import { WEBDAV_METHODS } from './methods.ts'
import { forwardRequest } from './outgoing-request.ts'
import { type ProxyRequestDeps, proxyRequest } from './proxy-request.ts'
import { SendProxyRequest } from './schemas.ts'
import { sendProxyRequest } from './send-proxy-request.ts'

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

interface ProxyRoutesDeps extends ProxyRequestDeps {
  readonly largeBodies: LargeBodies
}

/** `/v1/integration_account/{integrationAccountId}/proxy` and what is below it. */
export function proxyRoutes(deps: ProxyRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    // Errors before the handler come from Linchpin too.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('linchpin-proxy', 'linchpin')
    })
    await app.register(describedRequestRoute(deps))
    await app.register(forwardedRequestRoutes(deps))
  }
}

/** The request to the provider is in the body. */
function describedRequestRoute(deps: ProxyRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/integration_account/:integrationAccountId/proxy', {
      config: {
        scope: 'proxy',
        takesAccountTokens: true,
        rate: 'proxy',
        ignoresIdempotencyKey: true,
        longMember: { name: 'bodyBase64', maxOtherBytes: MAX_OTHER_BYTES },
        rawMember: 'body',
      },
      bodyLimit: JSON_LIMIT,
      preParsing: deps.largeBodies.admitRequest,
      schema: {
        operationId: 'sendProxyRequest',
        summary: 'Send the request in the body to the provider as the account',
        description:
          'Does the same as the other requests of the proxy, for clients that cannot send a path with slashes. Returns the response of the provider unchanged, with any status and content type. The header `linchpin-proxy` is `provider` on responses of the provider and `linchpin` on errors of Linchpin.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(SendProxyRequest),
        response: { ...createResponseSchemas(200, Type.Unknown(), ''), 200: PROXY_RESPONSE },
      },
      handler: (request, reply) =>
        sendProxyRequest(
          deps,
          getCaller(request),
          request.params.integrationAccountId,
          request.body,
          reply,
        ),
    })
  }
}

/** 25 MB in base64, and the other fields. */
const JSON_LIMIT = 34 * 1024 * 1024

/** Longer JSON would occupy the main thread: clients send it in base64, which is not parsed. */
const MAX_OTHER_BYTES = 2 * 1024 * 1024

/** The request to the provider is the request itself. */
function forwardedRequestRoutes(deps: ProxyRequestDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    // The handler reads bodies of any content type from the raw request.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    for (const method of WEBDAV_METHODS) app.addHttpMethod(method, { hasBody: true })
    for (const [method, operationId] of OPERATIONS)
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
