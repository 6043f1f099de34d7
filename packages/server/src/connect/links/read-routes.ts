import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { cacheDirectRead } from '../../access/auth/cache-direct-read.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { MAX_LINKED_ACCOUNTS } from '../../accounts/accounts/account-list-store.ts'
import { buildNextLinkHeader, PaginationQuery } from '../../platform/http/pagination.ts'
import {
  createResponseSchemas,
  IdOf,
  listOf,
  ref,
  StrictObject,
} from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { findLinkJson, type GetLinkDeps, getLink, type LinkJson } from './get-link.ts'
import type { LinkId } from './link.ts'
import { type ListLinksDeps, listLinks } from './list-links.ts'
import { ExtendedLink, LinkResponse } from './schemas.ts'

export const tags = ['Links']
export const params = Type.Object({
  linkId: IdOf<LinkId>({ description: 'Identifier of the link.' }),
})

const accounts = Type.Optional(
  Type.Boolean({
    description: 'False omits `IntegrationAccount` and `integrationAccounts`. Default: true.',
  }),
)

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
          'Returns links that are not revoked, oldest first, each with its 100 newest live accounts. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
        tags,
        querystring: StrictObject({
          workspaceId: Type.Optional(
            IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
          ),
          accounts,
          ...PaginationQuery,
        }),
        response: createResponseSchemas(
          200,
          listOf(LinkResponse),
          'The links that are not revoked, oldest first.',
        ),
      },
      handler: async (request, reply) => {
        const { json, next } = await listLinks(deps, getCaller(request), request.query)
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return sendJson(reply, json)
      },
    })

    app.get('/v1/link/:linkId', {
      config: { scope: 'read', directRead: readLink },
      schema: {
        operationId: 'getLink',
        summary: 'Get a link with its accounts and definitions',
        description:
          'Returns the link with its 100 newest live accounts and the definitions that it allows. If it has more accounts, the `Link` header with `rel="next"` is the list of the others. Expired links are returned too, with `expired: true`.',
        tags,
        params,
        querystring: StrictObject({
          accountIdentifier: Type.Optional(
            Type.String({
              maxLength: 255,
              description: 'Only accounts with this accountIdentifier.',
            }),
          ),
          accounts,
        }),
        response: createResponseSchemas(200, ref(ExtendedLink), 'The link.'),
      },
      handler: async (request, reply) => {
        const { params, query } = request
        const link = await getLink(deps, getCaller(request), params.linkId, query)
        const header = buildAccountsHeader(deps.baseUrl(), { ...params, ...query }, link)
        if (header !== undefined) reply.header('link', header)
        return sendJson(reply, link.json)
      },
    })
  }
}

/** The accounts that a link does not contain, in the list of accounts. */
function buildAccountsHeader(
  baseUrl: string,
  filter: { readonly linkId: LinkId; readonly accountIdentifier?: string },
  { workspaceId, next }: LinkJson,
): string | undefined {
  if (next === undefined) return undefined
  const query = new URLSearchParams({ workspaceId, linkId: filter.linkId, order: '-createdAt' })
  if (filter.accountIdentifier !== undefined)
    query.set('accountIdentifier', filter.accountIdentifier)
  query.set('limit', String(MAX_LINKED_ACCOUNTS))
  return buildNextLinkHeader(baseUrl, `/api/v1/integration_account?${query}`, next)
}
