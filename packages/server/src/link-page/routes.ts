import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { compressPages } from '../page/compress-pages.ts'
import { sendOn } from '../page/send-page.ts'
import { answerAttempt } from './attempt/answer-attempt.ts'
import { cancelAttempt } from './attempt/cancel-attempt.ts'
import { closedWindow } from './attempt/closed-window.ts'
import { whyNotShown } from './embed/why-not-shown.ts'
import type { LinkPageDeps } from './link-page-deps.ts'
import { sendLogo } from './logo/send-logo.ts'
import { openPage } from './open/open-page.ts'
import { createPageRouter, type PageRouter } from './page-router.ts'
import { createRateLimits, type RateLimit } from './rate-limits.ts'
import { connectForm } from './send/connect-form.ts'
import { signInForm } from './sign-in/sign-in-form.ts'

/** `/link/…`: the connect page, for people. Every answer but that about attempts is a page. */
export function linkPageRoutes(deps: LinkPageDeps): FastifyPluginAsync {
  return async (app) => {
    await compressPages(app)
    const limits = await createRateLimits(app, deps)
    const routes = createPageRouter(app, limits, deps.translate)
    openRoutes(routes, deps)
    formRoutes(routes, deps)
    attemptRoute(app, deps, limits.ask)
  }
}

/** Old embeddings put addresses together with a slash too many. */
const PAGES = ['/link/:linkId', '/link/:linkId/', '//link/:linkId']
const FRAMES = [
  '/link/frame/:linkId',
  '/link/frame/:linkId/',
  '//link/frame/:linkId',
  '//link/frame/:linkId/',
]

function openRoutes({ get }: PageRouter, deps: LinkPageDeps): void {
  for (const [mode, urls] of [
    // What is no address of ours is a page too.
    ['page', [...PAGES, '/link/*']],
    ['frame', FRAMES],
  ] as const)
    for (const url of urls)
      get(url, ({ linkId, given, request, reply }) =>
        openPage(deps, { mode, linkId, given }, request, reply),
      )
  get('/link/frame/:linkId/why', ({ linkId, given, request, reply }) =>
    whyNotShown(deps, { linkId, given }, request, reply),
  )
  get('/link/:linkId/closed', ({ linkId, given, request, reply }) =>
    closedWindow(deps, linkId, request, reply, given),
  )
  get('/link/:linkId/logo', ({ linkId, reply }) => sendLogo(deps, linkId, reply))
}

function formRoutes({ get, post }: PageRouter, deps: LinkPageDeps): void {
  for (const [mode, page] of [
    ['page', '/link/'],
    ['frame', '/link/frame/'],
  ] as const)
    post(`${page}:linkId/connect`, ({ linkId, given, request, reply }) =>
      connectForm(deps, { mode, linkId, given }, request, reply),
    )
  post('/link/:linkId/sign-in', ({ linkId, given, request, reply }) =>
    signInForm(deps, { linkId, given }, request, reply),
  )
  // Somebody opened the address of a form: the page that it stands on.
  for (const [url, page] of [
    ['/link/:linkId/connect', '/link/'],
    ['/link/:linkId/sign-in', '/link/'],
    ['/link/frame/:linkId/connect', '/link/frame/'],
  ] as const)
    get(url, async ({ linkId, given, reply }) => {
      const query = given.size === 0 ? '' : `?${given}`
      return sendOn(reply, `${deps.baseUrl()}${page}${encodeURIComponent(linkId)}${query}`)
    })
}

function attemptRoute(app: FastifyInstance, deps: LinkPageDeps, limit: RateLimit): void {
  for (const [method, answer] of [
    ['GET', answerAttempt],
    ['DELETE', cancelAttempt],
  ] as const)
    app.route<{ Params: { linkId: string; attemptId: string } }, { rawQuery: boolean }>({
      method,
      url: '/link/:linkId/attempts/:attemptId',
      config: { rawQuery: true },
      schema: { hide: true },
      async handler(request, reply) {
        const seconds = await limit(request)
        if (seconds === 0) return answer(deps, request.params, request, reply)
        reply.code(429).header('retry-after', String(seconds))
        return reply.send({ state: 'unknown', code: 'rate_limited' })
      },
    })
}
