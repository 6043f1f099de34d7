import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../errors.ts'
import { toApiError } from '../http/failures.ts'
import { noteFailure } from '../http/log.ts'
import { compressPages } from '../page/compress-pages.ts'
import { sendOn } from '../page/send-page.ts'
import { answerAttempt } from './attempt/answer-attempt.ts'
import { closedWindow } from './attempt/closed-window.ts'
import type { LinkPageDeps } from './link-page-deps.ts'
import { sendLogo } from './logo/send-logo.ts'
import { bareShell } from './open/load-page.ts'
import { openPage } from './open/open-page.ts'
import { createRateLimits, type RateLimit } from './rate-limits.ts'
import { connectForm } from './send/connect-form.ts'
import { signInForm } from './sign-in/sign-in-form.ts'
import { sendScreen } from './view/send-screen.ts'
import { type Stop, stopScreen } from './view/stops.ts'
import { toldScreen } from './view/told.ts'

/** The wildcard has no `linkId`. */
type Params = { Params: { linkId?: string; attemptId?: string } }
type PageConfig = { rawQuery: boolean }
type Handler = (request: FastifyRequest<Params>, reply: FastifyReply) => Promise<FastifyReply>

/** `/link/…`: the connect page, for people. Every answer but that about attempts is a page. */
export function linkPageRoutes(deps: LinkPageDeps): FastifyPluginAsync {
  return async (app) => {
    await compressPages(app)
    const limits = await createRateLimits(app)
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    )
    app.setErrorHandler((error, request, reply) => {
      const failure = toApiError(error, () => undefined)
      noteFailure(request, failure)
      const shell = bareShell(request, 'page', queryOf(request))
      return sendScreen(reply, shell, stopScreen(shell, whyStopped(failure, request)))
    })
    const options = { config: { rawQuery: true }, schema: { hide: true } }
    const get = (url: string, limit: RateLimit, handler: Handler) =>
      app.get<Params, PageConfig>(url, options, limited(limit, handler))
    const post = (url: string, handler: Handler) =>
      app.post<Params, PageConfig>(url, options, limited(limits.send, handler))

    const open =
      (mode: 'page' | 'frame'): Handler =>
      (request, reply) =>
        openPage(
          deps,
          { mode, linkId: request.params.linkId ?? '', given: queryOf(request) },
          request,
          reply,
        )
    // Old embeddings put addresses together with a slash too many.
    for (const url of ['/link/:linkId', '/link/:linkId/', '//link/:linkId'])
      get(url, limits.open, open('page'))
    for (const url of [
      '/link/frame/:linkId',
      '/link/frame/:linkId/',
      '//link/frame/:linkId',
      '//link/frame/:linkId/',
    ])
      get(url, limits.open, open('frame'))

    for (const [url, mode] of [
      ['/link/:linkId/connect', 'page'],
      ['/link/frame/:linkId/connect', 'frame'],
    ] as const) {
      post(url, (request, reply) =>
        connectForm(deps, { mode, linkId: request.params.linkId ?? '' }, request, reply),
      )
      get(url, limits.open, backToPage(deps, mode))
    }
    post('/link/:linkId/sign-in', (request, reply) =>
      signInForm(deps, request.params.linkId ?? '', request, reply),
    )
    get('/link/:linkId/sign-in', limits.open, backToPage(deps, 'page'))
    get('/link/:linkId/closed', limits.open, (request, reply) =>
      closedWindow(deps, request.params.linkId ?? '', request, reply, queryOf(request)),
    )
    get('/link/:linkId/logo', limits.open, (request, reply) =>
      sendLogo(deps, request.params.linkId ?? '', reply),
    )
    app.get<Params, PageConfig>(
      '/link/:linkId/attempts/:attemptId',
      options,
      async (request, reply) => {
        const { linkId = '', attemptId = '' } = request.params
        const seconds = await limits.ask(request)
        if (seconds > 0)
          return reply
            .code(429)
            .header('retry-after', String(seconds))
            .send({ state: 'unknown', code: 'rate_limited' })
        return answerAttempt(deps, { linkId, attemptId }, request, reply)
      },
    )
    // What is no address of ours is a page too.
    get('/link/*', limits.open, open('page'))
  }
}

function whyStopped({ statusCode }: ApiError, { method }: FastifyRequest): Stop {
  if (statusCode >= 500) return 'busy'
  return method === 'GET' ? 'unknownLink' : 'notOurs'
}

/** Somebody opened the address of a form: the page that it stands on. */
function backToPage({ baseUrl }: LinkPageDeps, mode: 'page' | 'frame'): Handler {
  return async (request, reply) =>
    sendOn(
      reply,
      `${baseUrl()}/link/${mode === 'frame' ? 'frame/' : ''}${encodeURIComponent(request.params.linkId ?? '')}`,
    )
}

function limited(limit: RateLimit, handler: Handler): Handler {
  return async (request, reply) => {
    const seconds = await limit(request)
    if (seconds === 0) return handler(request, reply)
    const shell = bareShell(request, 'page', queryOf(request))
    const told = shell.words.states.rateLimited({ seconds })
    const looks = { status: 429, mark: 'wait', retryAfter: seconds } as const
    return sendScreen(reply, shell, toldScreen('rateLimited', told, looks))
  }
}

/** The query as it came: the parser of the API would refuse what old embeddings send. */
function queryOf({ originalUrl }: FastifyRequest): URLSearchParams {
  const at = originalUrl.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : originalUrl.slice(at + 1))
}
