import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { createResponseSchemas, EmptyQuery, ref } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { createAccount } from './create-account.ts'
import { DeleteAccountQuery, deleteAccount } from './delete-account.ts'
import { type GetAccountCredentialsDeps, getAccountCredentials } from './get-account-credentials.ts'
import { importAccount } from './import-account.ts'
import type { ImportAccountDeps } from './plan-import.ts'
import { params, tags } from './read-routes.ts'
import { DeletedAccount, IntegrationAccount } from './schemas/account.ts'
import { AccountCredentials } from './schemas/account-credentials.ts'
import { CheckAccount, CreateAccount, UpdateAccount } from './schemas/account-requests.ts'
import { CheckResponse } from './schemas/check-response.ts'
import { ImportAccount } from './schemas/import-request.ts'
import { updateAccount } from './update-account.ts'
import { checkAccount } from './verification/check-account.ts'

export interface AccountRoutesDeps extends ImportAccountDeps, GetAccountCredentialsDeps {}

/** `/v1/integration_account`, except its reads. */
export function accountRoutes(deps: AccountRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/integration_account', {
      config: { scope: 'accounts:write', rate: 'bundle' },
      schema: {
        operationId: 'createAccount',
        summary: 'Create an integration account',
        description:
          'Verifies the credentials first and stores them, encrypted, only if they work.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateAccount),
        response: createResponseSchemas(201, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request, reply) =>
        sendJson(reply.code(201), await createAccount(deps, getCaller(request), request.body)),
    })

    app.post('/v1/integration_account/check', {
      config: { scope: 'accounts:write', ignoresIdempotencyKey: true, rate: 'bundle' },
      schema: {
        operationId: 'checkAccount',
        summary: 'Check credentials without creating an account',
        description:
          'Returns 200 for valid and for invalid credentials; `status` tells them apart. No account is created.',
        tags,
        querystring: EmptyQuery,
        body: ref(CheckAccount),
        response: createResponseSchemas(200, ref(CheckResponse), 'The check result.'),
      },
      handler: async (request) => checkAccount(deps, getCaller(request), request.body),
    })

    app.post('/v1/integration_account/import', {
      config: { scope: 'admin', rate: 'bundle' },
      schema: {
        operationId: 'importAccount',
        summary: 'Import an account that another system has connected',
        description:
          'Stores its credentials encrypted, without a check: `statusReason` is `unchecked` until they have worked once. For an `externalId` that was imported before, returns that account, or its tombstone, and changes nothing.',
        tags,
        querystring: EmptyQuery,
        body: ref(ImportAccount),
        response: createResponseSchemas(200, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request, reply) =>
        sendJson(reply, await importAccount(deps, getCaller(request), request.body)),
    })

    app.post('/v1/integration_account/:integrationAccountId', {
      config: { scope: 'accounts:write', rate: 'bundle' },
      schema: {
        operationId: 'updateAccount',
        summary: 'Rename or tag an account, or replace its credentials once the new ones work',
        description:
          '`tags` replaces all tags of the account. New credentials are verified before they replace the old ones. If the auth type stays the same, omitted secrets are reused. If any other field changes, send the secrets again or use a token with `credentials:read`; otherwise the response is 403 `secret_required`.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpdateAccount),
        response: createResponseSchemas(200, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request) =>
        updateAccount(deps, getCaller(request), request.params.integrationAccountId, request.body),
    })

    app.get('/v1/integration_account/:integrationAccountId/credentials', {
      config: { scope: 'credentials:read' },
      schema: {
        operationId: 'getAccountCredentials',
        summary: 'Get the live credentials of an account',
        description:
          'The only operation that returns secrets. Tokens that are about to expire are refreshed first. Each call is recorded in the audit trail.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(AccountCredentials), 'The credentials.'),
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
          'Revokes the tokens at the provider if the spec describes revocation and no other live account shares the grant, erases the configuration, and returns the tombstone. Repeated calls return the same tombstone.',
        tags,
        params,
        querystring: DeleteAccountQuery,
        response: createResponseSchemas(200, ref(DeletedAccount), 'The tombstone.'),
      },
      handler: async (request) =>
        deleteAccount(deps, getCaller(request), request.params.integrationAccountId, request.query),
    })
  }
}
