import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import { createResponseSchemas, EmptyQuery, IdOf, ref } from '../../platform/http/schema.ts'
import type { ConnectSessionId } from '../connect-sessions/connect-session.ts'
import { countAttempt } from '../links/counters/link-counters.ts'
import { type ConfirmConnectSessionDeps, confirmConnectSession } from './confirm-connect-session.ts'
import { confirmOAuth } from './confirm-oauth.ts'
import { ConfirmOAuth, StartedOAuth, StartOAuth } from './oauth-schemas.ts'
import { startOAuth } from './start/start-oauth.ts'

const tags = ['Integration accounts']

/** The routes under `/v1/oauth`, called by backends. */
export function oauthRoutes(deps: ConfirmConnectSessionDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/oauth', {
      config: { scope: 'accounts:write', returnsSecret: true },
      schema: {
        operationId: 'startOAuth',
        summary: 'Start an OAuth connection',
        description:
          'Returns the URL of a page on which the user signs in at the provider. With `integrationAccountId`, reconnects that account. Unless `confirm` is false, a new account stays pending until its one-time token is confirmed.',
        tags,
        querystring: EmptyQuery,
        body: ref(StartOAuth),
        response: createResponseSchemas(200, ref(StartedOAuth), 'The URL to redirect the user to.'),
      },
      handler: async (request) => {
        const start = () => startOAuth(deps, getCaller(request), request.body)
        const { linkId } = request.body
        return linkId == null ? start() : countAttempt(deps.counters, linkId, start)
      },
    })

    app.post('/v1/oauth/confirm', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'confirmOAuth',
        summary: 'Confirm an OAuth connection',
        description:
          'Activates the pending account, or stores the new credentials of a reconnect. A token can be used once. Confirm only if the user who returned to redirectURL is the user who started.',
        tags,
        querystring: EmptyQuery,
        body: ref(ConfirmOAuth),
        response: createResponseSchemas(200, ref(IntegrationAccount), 'The active account.'),
      },
      handler: async (request) => confirmOAuth(deps, getCaller(request), request.body),
    })

    app.post('/v1/connect_session/:connectSessionId/confirm', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'confirmConnectSession',
        summary: 'Confirm a sign-in of a connect session',
        description:
          'As Confirm an OAuth connection, for a token of this session only. Send it for the session that you created for the person who returned.',
        tags: ['Connect sessions'],
        params: Type.Object({
          connectSessionId: IdOf<ConnectSessionId>({
            description: 'Identifier of the connect session.',
          }),
        }),
        querystring: EmptyQuery,
        body: ref(ConfirmOAuth),
        response: createResponseSchemas(200, ref(IntegrationAccount), 'The active account.'),
      },
      handler: (request) =>
        confirmConnectSession(
          deps,
          getCaller(request),
          request.params.connectSessionId,
          request.body,
        ),
    })
  }
}
