import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { cacheDirectRead } from '../../access/auth/cache-direct-read.ts'
import { buildNextLinkHeader } from '../../platform/http/pagination.ts'
import { createResponseSchemas, EmptyQuery, IdOf, listOf, ref } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { AccountId } from './account.ts'
import { findAccountJson, getAccountJson } from './get-account.ts'
import { AccountChange, listAccountHistory } from './list-account-history.ts'
import { type ListAccountsDeps, listAccounts } from './list-accounts.ts'
import { ListAccountsQuery } from './list-accounts-query.ts'
import { IntegrationAccount } from './schemas/account.ts'

export const tags = ['Integration accounts']
export const params = Type.Object({
  integrationAccountId: IdOf<AccountId>({ description: 'Identifier of the integration account.' }),
})

export interface AccountReadDeps extends ListAccountsDeps {
  readonly database: Database
  readonly baseUrl: () => string
}

/** The reads of `/v1/integration_account`, which need nothing but the database. */
export function accountReadRoutes(deps: AccountReadDeps): FastifyPluginAsyncTypebox {
  const readAccount = cacheDirectRead(deps.database, (access, id: AccountId) =>
    findAccountJson(deps, access, id),
  )
  return async (app) => {
    app.get('/v1/integration_account', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listAccounts',
        summary: 'List the integration accounts of a workspace',
        description:
          'Returns a plain array, oldest first unless `order` says otherwise. Paginate with `limit` and `cursor`; the `Link` header has the next page.',
        tags,
        querystring: ListAccountsQuery,
        response: createResponseSchemas(
          200,
          listOf(IntegrationAccount),
          'The accounts. Deleted accounts only with `includeDeleted`.',
        ),
      },
      handler: async (request, reply) => {
        const { json, next } = await listAccounts(deps, getCaller(request), request.query)
        if (next)
          reply.header('link', buildNextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        return sendJson(reply, json)
      },
    })

    app.get('/v1/integration_account/:integrationAccountId', {
      config: { scope: 'read', takesAccountTokens: true, directRead: readAccount },
      schema: {
        operationId: 'getAccount',
        summary: 'Get an integration account',
        description:
          '`integrationConfiguration` never contains secrets. For a deleted account, returns its tombstone.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(
          200,
          ref(IntegrationAccount),
          'The account, or its tombstone.',
        ),
      },
      handler: async (request, reply) =>
        sendJson(
          reply,
          await getAccountJson(deps, getCaller(request), request.params.integrationAccountId),
        ),
    })

    app.get('/v1/integration_account/:integrationAccountId/history', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listAccountHistory',
        summary: 'List the changes of an integration account',
        description: 'Returns the last 200 changes, newest first; for a deleted account, too.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, listOf(AccountChange), 'The changes, newest first.'),
      },
      handler: async (request) =>
        listAccountHistory(deps, getCaller(request), request.params.integrationAccountId),
    })
  }
}
