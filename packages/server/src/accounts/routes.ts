import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { nextLinkHeader } from '../http/pagination.ts'
import { EmptyQuery, listOf, ref, responseSchemas } from '../http/schema.ts'
import { type CreateAccountDeps, createAccount } from './create-account.ts'
import { DeleteAccountQuery, deleteAccount } from './delete-account.ts'
import { getAccount } from './get-account.ts'
import { getAccountCredentials } from './get-account-credentials.ts'
import { ListAccountsQuery, listAccounts } from './list-accounts.ts'
import { DeletedAccount, IntegrationAccount } from './schemas/account.ts'
import { AccountCredentials } from './schemas/account-credentials.ts'
import { CheckAccount, CreateAccount, UpdateAccount } from './schemas/account-requests.ts'
import { CheckResponse } from './schemas/check-response.ts'
import { streamAccounts } from './stream-accounts.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'
import { updateAccount } from './update-account.ts'
import { checkAccount } from './verification/check-account.ts'

const tags = ['Integration accounts']
const params = Type.Object({
  integrationAccountId: Type.String({ description: 'Identifier of the integration account.' }),
})

export interface AccountRoutesDeps extends CreateAccountDeps, RefreshDeps {
  readonly baseUrl: () => string
}

/** `/v1/integration_account` */
export function accountRoutes(deps: AccountRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/integration_account', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'createAccount',
        summary: 'Create an integration account',
        description: 'Checks the credentials first and stores them, sealed, only when they work.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateAccount),
        response: responseSchemas(201, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createAccount(deps, getCaller(request), request.body)),
    })

    app.post('/v1/integration_account/check', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'checkAccount',
        summary: 'Check credentials without creating an account',
        description:
          'Right and wrong credentials are both answered with 200: `status` tells which. Nothing is stored.',
        tags,
        querystring: EmptyQuery,
        body: ref(CheckAccount),
        response: responseSchemas(200, ref(CheckResponse), 'Whether they work.'),
      },
      handler: async (request) => checkAccount(deps, getCaller(request), request.body),
    })

    app.get('/v1/integration_account', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listAccounts',
        summary: 'List the integration accounts of a workspace',
        description:
          'A plain array, oldest first. `limit` and `cursor` page it; the next page is in the `Link` header.',
        tags,
        querystring: ListAccountsQuery,
        response: responseSchemas(
          200,
          listOf(IntegrationAccount),
          'Oldest first; live ones unless asked.',
        ),
      },
      handler: async (request, reply) => {
        const { accounts, next } = await listAccounts(deps, getCaller(request), request.query)
        if (next) reply.header('link', nextLinkHeader(deps.baseUrl(), request.originalUrl, next))
        const serialize = reply.compileSerializationSchema({ ...ref(IntegrationAccount) })
        reply.header('content-type', 'application/json; charset=utf-8')
        return reply.send(streamAccounts(accounts, serialize) as never)
      },
    })

    app.get('/v1/integration_account/:integrationAccountId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getAccount',
        summary: 'Get an integration account',
        description:
          'Secrets never stand in `integrationConfiguration`. A deleted account answers its tombstone.',
        tags,
        params,
        querystring: EmptyQuery,
        response: responseSchemas(200, ref(IntegrationAccount), 'The account, or its tombstone.'),
      },
      handler: async (request) =>
        getAccount(deps, getCaller(request), request.params.integrationAccountId),
    })

    app.post('/v1/integration_account/:integrationAccountId', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'updateAccount',
        summary: 'Rename an account, or replace its credentials once the new ones work',
        description:
          'New credentials are checked before they replace the old ones. While the auth type stays, stored secrets that are left out are reused; when any other field changes, send them again or use a token with `credentials:read`, otherwise the answer is 403 `secret_required`.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpdateAccount),
        response: responseSchemas(200, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request) =>
        updateAccount(deps, getCaller(request), request.params.integrationAccountId, request.body),
    })

    app.get('/v1/integration_account/:integrationAccountId/credentials', {
      config: { scope: 'credentials:read' },
      schema: {
        operationId: 'getAccountCredentials',
        summary: 'Get the live credentials of an account. Audited',
        description:
          'The one operation that answers secrets. Tokens are renewed first when they are about to end. It leaves a line in the audit trail.',
        tags,
        params,
        querystring: EmptyQuery,
        response: responseSchemas(200, ref(AccountCredentials), 'The credentials.'),
      },
      handler: async (request) =>
        getAccountCredentials(deps, getCaller(request), request.params.integrationAccountId),
    })

    app.delete('/v1/integration_account/:integrationAccountId', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'deleteAccount',
        summary: 'Delete an integration account and erase its configuration',
        description:
          'Revokes the tokens at the provider where the spec says how and no other live account rests on the same grant, erases the configuration, and answers the tombstone. Repeating it answers the same.',
        tags,
        params,
        querystring: DeleteAccountQuery,
        response: responseSchemas(200, ref(DeletedAccount), 'Its tombstone.'),
      },
      handler: async (request) =>
        deleteAccount(deps, getCaller(request), request.params.integrationAccountId, request.query),
    })
  }
}
