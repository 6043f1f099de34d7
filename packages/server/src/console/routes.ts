import rateLimit from '@fastify/rate-limit'
import type { FastifyPluginAsync } from 'fastify'
import { acceptForms } from '../platform/http/browser-request.ts'
import { toApiError } from '../platform/http/error-handler.ts'
import { compressPages } from '../platform/http/send-page.ts'
import {
  createActionOptions,
  missingScreen,
  redirectTo,
  runAction,
  sendFailure,
  showScreen,
} from './answer.ts'
import { joinRoutes } from './join-routes.ts'
import { createLiveUpdates } from './live.ts'
import { acceptFileForms } from './multipart-form.ts'
import { SCREENS } from './screens/screens.ts'
import { getTarget, type SignInDeps } from './sign-in-pages.ts'
import { signInRoutes } from './sign-in-routes.ts'

/** `/console`: the pages for the team. Every response is HTML, except live updates and downloads. */
export function consoleRoutes(deps: SignInDeps): FastifyPluginAsync {
  return async (app) => {
    await compressPages(app)
    acceptForms(app)
    acceptFileForms(app)
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
      if (request.method !== 'POST') return
      deps.definitionNames.forget()
      await live.check(request)
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
        app.post(path + name, createActionOptions(deps, screen), (request, reply) =>
          runAction(deps, act, request, reply),
        )
        // The address of a page that a form has led to: reloading it, or its refresh, shows the screen. It may have come as a whole URL.
        if (name !== '')
          app.get(path + name, OPTIONS, (request, reply) =>
            redirectTo(reply, getTarget(request.url.replace(/\/[^/?]*(?=\?|$)/, ''))),
          )
      }
    }
    const missing = `/console${missingScreen.path}`
    app.get(missing, { ...OPTIONS, exposeHeadRoute: false }, (request, reply) =>
      showScreen(deps, missingScreen, request, reply),
    )
  }
}

const OPTIONS = { config: { rawQuery: true }, schema: { hide: true } } as const
