import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { cacheDirectRead } from '../auth/cache-direct-read.ts'
import { buildNextLinkHeader, PaginationQuery } from '../http/pagination.ts'
import { createResponseSchemas, IdOf, listOf, ref, StrictObject } from '../http/schema.ts'
import { sendJson } from '../http/send-json.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { findLinkJson, type GetLinkDeps, getLink } from './get-link.ts'
import type { LinkId } from './link.ts'
import { type ListLinksDeps, listLinks } from './list-links.ts'
import { ExtendedLink, LinkResponse } from './schemas.ts'

export const tags = ['Links']
export const params = Type.Object({
  linkId: IdOf<LinkId>({ description: 'Identifier of the link.' }),
})

export interface LinkReadDeps extends GetLinkDeps, ListLinksDeps {}

/** The reads of `/v1/link`, which need nothing but the database. */
export function linkReadRoutes(deps: LinkReadDeps): FastifyPluginAsyncTypebox {
  const readLink = cacheDirectRead(deps.database, (access, id) => findLinkJson(deps, access, id))
  return async (app) => {
    app.get('/v1/link', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listLinks',
        summary: 'List the links of a workspace',
        description:
          'Returns links that are not revoked, oldest first. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
        tags,
        querystring: StrictObject({
          workspaceId: Type.Optional(
            IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
          ),
          ...PaginationQuery,
        }),
        response: createResponseSchemas(
          200,
          listOf(LinkResponse),
          'The links that are not revoked, oldest first.',
        ),
      },
      handler: async (request, reply) => {
        const { links, next } = await listLinks(deps, getCaller(request), request.query)
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return links
      },
    })

    app.get('/v1/link/:linkId', {
      config: { scope: 'read', directRead: readLink },
      schema: {
        operationId: 'getLink',
        summary: 'Get a link with its accounts and definitions',
        description:
          'Returns the link with its live accounts and the definitions that it allows. Expired links are returned too, with `expired: true`.',
        tags,
        params,
        querystring: StrictObject({
          accountIdentifier: Type.Optional(
            Type.String({
              maxLength: 255,
              description: 'Only accounts with this accountIdentifier.',
            }),
          ),
        }),
        response: createResponseSchemas(200, ref(ExtendedLink), 'The link.'),
      },
      handler: async (request, reply) => {
        const { params, query } = request
        const { accountIdentifier } = query
        return sendJson(
          reply,
          await getLink(deps, getCaller(request), params.linkId, accountIdentifier),
        )
      },
    })
  }
}
