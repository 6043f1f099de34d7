import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IntegrationAccount } from '../accounts/schemas/account.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { EmptyQuery, ref, responseSchemas } from '../http/schema.ts'
import { countAttempt } from '../links/counters/count-attempt.ts'
import { confirmOAuth } from './confirm-oauth.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import { ConfirmOAuth, StartedOAuth, StartOAuth } from './oauth-schemas.ts'
import { startOAuth } from './start/start-oauth.ts'

const tags = ['Integration accounts']

/** `/v1/oauth` as backends call it. */
export function oauthRoutes(deps: OAuthFlowDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/oauth', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'startOAuth',
        summary: 'Start a connection by sign-in at the provider',
        description:
          'Answers a page to send the person to. With `integrationAccountId` it reconnects that account. Unless `confirm` is false, a new account stays pending until its one-time token is confirmed.',
        tags,
        querystring: EmptyQuery,
        body: ref(StartOAuth),
        response: responseSchemas(200, ref(StartedOAuth), 'Where to send the person.'),
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
        summary: 'Confirm a connection that a person brought back',
        description:
          'Makes the pending account active, once. Confirm only when the person at redirectURL is the one who was sent.',
        tags,
        querystring: EmptyQuery,
        body: ref(ConfirmOAuth),
        response: responseSchemas(200, ref(IntegrationAccount), 'The account, active.'),
      },
      handler: async (request) => confirmOAuth(deps, getCaller(request), request.body),
    })
  }
}
