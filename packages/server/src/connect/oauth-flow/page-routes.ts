import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { toApiError } from '../../platform/http/error-handler.ts'
import { acceptForms } from '../../platform/http/form-body.ts'
import { logFailure } from '../../platform/http/log.ts'
import { IdOf } from '../../platform/http/schema.ts'
import { handleOAuthCallback } from './callback/handle-oauth-callback.ts'
import type { OAuthFlowDeps } from './oauth-flow-deps.ts'
import { showFinishPage } from './pages/finish-page.ts'
import { redirectToProvider, showOAuthPage } from './pages/oauth-page.ts'
import { sendErrorPage } from './pages/oauth-screens.ts'
import type { OAuthSessionId } from './session/oauth-session.ts'

/** The HTML pages of the OAuth flow and its callback. They need no access token. */
export function oauthPageRoutes(deps: OAuthFlowDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    setPageErrorHandler(app, deps)
    // The form has one field; other fields are ignored.
    acceptForms(app, 1_024)
    const config = { rawQuery: true }
    const params = Type.Object({ token: Type.String() })
    app.get('/oauth/connect/:token', {
      config,
      schema: { hide: true, params },
      handler: (request, reply) => showOAuthPage(deps, request.params.token, request, reply),
    })
    app.post('/oauth/connect/:token', {
      config,
      schema: { hide: true, params },
      handler: (request, reply) => redirectToProvider(deps, request.params.token, request, reply),
    })
    app.get('/oauth/finished/:sessionId', {
      config,
      schema: {
        hide: true,
        params: Type.Object({
          sessionId: IdOf<OAuthSessionId>({ description: 'ID of the OAuth session.' }),
        }),
      },
      handler: (request, reply) => showFinishPage(deps, request.params.sessionId, request, reply),
    })
    // A HEAD request would use up the state.
    app.get('/api/v1/oauth/callback', {
      config: { ...config, maxUrlLength: MAX_CALLBACK_URL },
      exposeHeadRoute: false,
      schema: { hide: true },
      handler: (request, reply) => handleOAuthCallback(deps, request, reply),
    })
  }
}

/** The provider chooses the length of the code: with 8,192 characters, and other parameters. */
const MAX_CALLBACK_URL = 12_288

/** Sends an HTML page for errors too. */
function setPageErrorHandler(app: FastifyInstance, { translateError }: OAuthFlowDeps): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = toApiError(error, translateError)
    logFailure(request, failure)
    const status = failure.statusCode
    if (status >= 500) return sendErrorPage(request, reply, 503, 'busy')
    return sendErrorPage(request, reply, status, 'notKnown')
  })
}
