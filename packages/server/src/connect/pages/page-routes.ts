import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { toApiError } from '../../http/failures.ts'
import { noteFailure } from '../../http/log.ts'
import { finishOAuth } from '../callback/oauth-callback.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import { showFinished } from './finished-page.ts'
import { beginOAuth, showOAuthPage } from './oauth-page.ts'
import { VIEW_FIELD } from './pages.ts'
import { sendStop } from './send-screen.ts'

/** What people meet on the way through sign-in: no bearer, no JSON. */
export function oauthPageRoutes(deps: ConnectDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    answerWithPages(app, deps)
    // The form has one field; whatever else comes in its body is not read.
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer', bodyLimit: 1_024 },
      (_request, body, done) => done(null, new URLSearchParams(String(body)).get(VIEW_FIELD)),
    )
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
      handler: (request, reply) => beginOAuth(deps, request.params.token, request, reply),
    })
    app.get('/oauth/finished/:token', {
      config,
      schema: { hide: true, params },
      handler: (request, reply) => showFinished(deps, request.params.token, request, reply),
    })
    // A HEAD would use the state up.
    app.get('/api/v1/oauth/callback', {
      config,
      exposeHeadRoute: false,
      schema: { hide: true },
      handler: (request, reply) => finishOAuth(deps, request, reply),
    })
  }
}

/** A person who is refused, or meets a failure, reads a page too. */
function answerWithPages(app: FastifyInstance, { translate }: ConnectDeps): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = toApiError(error, translate)
    noteFailure(request, failure)
    const status = failure.statusCode
    if (status >= 500) return sendStop(request, reply, 503, 'busy')
    return sendStop(request, reply, status, 'notKnown')
  })
}
