import rateLimit from '@fastify/rate-limit'
import type { FastifyPluginAsync } from 'fastify'
import { acceptForms } from '../platform/http/browser-request.ts'
import { toApiError } from '../platform/http/error-handler.ts'
import { compressPages } from '../platform/http/send-page.ts'
import { redirectTo, runAction, sendFailure, showMissing, showScreen } from './answer.ts'
import { joinRoutes } from './join-routes.ts'
import { createLiveUpdates } from './live.ts'
import { acceptFileForms } from './multipart-form.ts'
import { SCREENS } from './screens/screens.ts'
import type { SignInDeps } from './sign-in-pages.ts'
import { signInRoutes } from './sign-in-routes.ts'

/** `/console`: the pages for the team. Every response is HTML, except live updates and downloads. */
export function consoleRoutes(deps: SignInDeps): FastifyPluginAsync {
  return async (app) => {
    await compressPages(app)
    acceptForms(app, MAX_FORM_BYTES)
    acceptFileForms(app, MAX_FILE_FORM_BYTES)
    app.setErrorHandler((error, request, reply) =>
      sendFailure(deps, request, reply, toApiError(error, deps.translateError)),
    )
    const live = createLiveUpdates(deps)
    // Without HEAD, whose stream no one would end.
    app.get('/console/live', { ...OPTIONS, exposeHeadRoute: false }, (request, reply) =>
      live.open(request, reply),
    )
    // Such as a sign-out, or a switch of the workspace.
    app.addHook('onResponse', async (request) => {
      if (request.method === 'POST') await live.check(request)
    })
    // A stop of the service does not wait for viewers.
    app.addHook('preClose', async () => live.stop())
    await app.register(rateLimit, { global: false })
    await app.register(signInRoutes(deps))
    await app.register(joinRoutes(deps))
    for (const screen of SCREENS) {
      const path = `/console${screen.path}`
      app.get(path, OPTIONS, (request, reply) => showScreen(deps, screen, request, reply))
      for (const [name, act] of Object.entries(screen.actions ?? {})) {
        app.post(path + name, OPTIONS, (request, reply) => runAction(deps, act, request, reply))
        // The address of a page that a form has led to: reloading it, or its refresh, shows the screen.
        if (name !== '')
          app.get(path + name, OPTIONS, (request, reply) =>
            redirectTo(reply, request.url.replace(/\/[^/?]*(?=\?|$)/, '')),
          )
      }
    }
    app.get('/console/*', { ...OPTIONS, exposeHeadRoute: false }, (request, reply) =>
      showMissing(deps, request, reply),
    )
  }
}

/** More than the largest body of a test request. Anyone can send a form, and 8 MiB of plus signs take the parser 0.7 seconds. */
const MAX_FORM_BYTES = 512 * 1024
/** The bundle of an integration can be uploaded as a file. */
const MAX_FILE_FORM_BYTES = 8 * 1024 * 1024
const OPTIONS = { config: { rawQuery: true }, schema: { hide: true } } as const
