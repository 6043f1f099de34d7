import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { callerOf } from '../caller/request-caller.ts'
import { nextLink } from '../http/page.ts'
import { answers, listOf, NoQuery, ref } from '../http/schema.ts'
import { checkAccount } from './check/check-account.ts'
import { type CreateAccountDeps, createAccount } from './create-account.ts'
import { DeleteAccountQuery, deleteAccount } from './delete-account.ts'
import { getAccount } from './get-account.ts'
import { getAccountCredentials } from './get-account-credentials.ts'
import { ListAccountsQuery, listAccounts } from './list-accounts.ts'
import type { RenewalDeps } from './renewal/renewal-deps.ts'
import { streamAccounts } from './stream-accounts.ts'
import { updateAccount } from './update-account.ts'
import { DeletedAccount, IntegrationAccount } from './wire/account.ts'
import { AccountCredentials } from './wire/account-credentials.ts'
import { CheckAccount, CreateAccount, UpdateAccount } from './wire/account-requests.ts'
import { CheckAnswer } from './wire/check-answer.ts'

const tags = ['Integration accounts']
const params = Type.Object({
  integrationAccountId: Type.String({ description: 'Identifier of the integration account.' }),
})

export interface AccountRoutesDeps extends CreateAccountDeps, RenewalDeps {
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
        querystring: NoQuery,
        body: ref(CreateAccount),
        response: answers(201, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createAccount(deps, callerOf(request), request.body)),
    })

    app.post('/v1/integration_account/check', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'checkAccount',
        summary: 'Check credentials without creating an account',
        description:
          'Right and wrong credentials are both answered with 200: `status` tells which. Nothing is stored.',
        tags,
        querystring: NoQuery,
        body: ref(CheckAccount),
        response: answers(200, ref(CheckAnswer), 'Whether they work.'),
      },
      handler: async (request) => checkAccount(deps, callerOf(request), request.body),
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
        response: answers(200, listOf(IntegrationAccount), 'Oldest first; live ones unless asked.'),
      },
      handler: async (request, reply) => {
        const { accounts, next } = await listAccounts(deps, callerOf(request), request.query)
        if (next) reply.header('link', nextLink(deps.baseUrl(), request.originalUrl, next))
        const serialize = reply.compileSerializationSchema({ $ref: 'IntegrationAccount#' })
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
        querystring: NoQuery,
        response: answers(200, ref(IntegrationAccount), 'The account, or its tombstone.'),
      },
      handler: async (request) =>
        getAccount(deps, callerOf(request), request.params.integrationAccountId),
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
        querystring: NoQuery,
        body: ref(UpdateAccount),
        response: answers(200, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request) =>
        updateAccount(deps, callerOf(request), request.params.integrationAccountId, request.body),
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
        querystring: NoQuery,
        response: answers(200, ref(AccountCredentials), 'The credentials.'),
      },
      handler: async (request) =>
        getAccountCredentials(deps, callerOf(request), request.params.integrationAccountId),
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
        response: answers(200, ref(DeletedAccount), 'Its tombstone.'),
      },
      handler: async (request) =>
        deleteAccount(deps, callerOf(request), request.params.integrationAccountId, request.query),
    })
  }
}
