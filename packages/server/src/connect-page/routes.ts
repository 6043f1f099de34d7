import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from '../http/error-handler.ts'
import { getSearchParams } from '../http/get-raw-query.ts'
import { compressPages, redirect } from '../http/send-page.ts'
import type { LinkId } from '../links/link.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import { handlePageError, sendRateLimitPage } from './error-pages.ts'
import { createRateLimits, type RateLimit, type RateLimits } from './limits/rate-limits.ts'
import { embedDiagnostics } from './load/embed-diagnostics.ts'
import { getConnectPage } from './load/get-connect-page.ts'
import { sendLogo } from './logo.ts'
import { submitSignInForm } from './sign-in/submit-sign-in-form.ts'
import { cancelSubmission } from './submission/cancel-submission.ts'
import { getSubmission } from './submission/get-submission.ts'
import { sendSignInResultPage } from './submission/send-sign-in-result-page.ts'
import { submitConnectForm } from './submit/submit-connect-form.ts'

/** `/link/…`: the connect page. Every response is HTML, except those about submissions. */
export function connectPageRoutes(deps: ConnectPageDeps): FastifyPluginAsync {
  return async (app) => {
    await compressPages(app)
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    )
    app.setErrorHandler((error, request, reply) =>
      handlePageError(request, reply, toApiError(error, deps.translateError)),
    )
    const limits = await createRateLimits(app, deps)
    const routes = createPageRouter(app, limits)
    registerPageRoutes(routes, deps)
    registerFormRoutes(routes, deps)
    registerSubmissionRoutes(app, deps, limits.statusPolls)
  }
}

/** A parsed request for a page. */
interface RouteRequest {
  readonly linkId: string
  readonly searchParams: URLSearchParams
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type PageHandler = (routeRequest: RouteRequest) => Promise<FastifyReply>

/** Registers page handlers with their rate limits. */
interface PageRouter {
  get(url: string, handler: PageHandler): void
  post(url: string, handler: PageHandler): void
}

function createPageRouter(app: FastifyInstance, limits: RateLimits): PageRouter {
  const options = { config: { rawQuery: true }, schema: { hide: true } }
  return {
    get: (url, handler) =>
      void app.get<Params, PageConfig>(url, options, withRateLimit(limits, limits.pages, handler)),
    post: (url, handler) =>
      void app.post<Params, PageConfig>(url, options, withRateLimit(limits, limits.forms, handler)),
  }
}

/** The wildcard route has no `linkId`. */
type Params = { Params: { linkId?: string } }
type PageConfig = { rawQuery: boolean }

function withRateLimit({ linkEnumeration }: RateLimits, limit: RateLimit, handler: PageHandler) {
  return async (request: FastifyRequest<Params>, reply: FastifyReply): Promise<FastifyReply> => {
    const { linkId = '' } = request.params
    const seconds = (await limit(request)) || (await linkEnumeration.secondsToWait(request, linkId))
    if (seconds > 0) return sendRateLimitPage(request, reply, seconds)
    await handler({ linkId, searchParams: getSearchParams(request), request, reply })
    if (reply.statusCode === 404) await linkEnumeration.recordMiss(request)
    return reply
  }
}

/** Old embeds produce URLs with duplicate slashes. */
const PAGE_PATHS = ['/link/:linkId', '/link/:linkId/', '//link/:linkId']
const FRAME_PATHS = [
  '/link/frame/:linkId',
  '/link/frame/:linkId/',
  '//link/frame/:linkId',
  '//link/frame/:linkId/',
]

function registerPageRoutes({ get }: PageRouter, deps: ConnectPageDeps): void {
  for (const [mode, urls] of [
    // Unknown URLs get a page too.
    ['page', [...PAGE_PATHS, '/link/*']],
    ['frame', FRAME_PATHS],
  ] as const)
    for (const url of urls)
      get(url, ({ linkId, searchParams, request, reply }) =>
        getConnectPage(deps, { mode, linkId, searchParams }, request, reply),
      )
  get('/link/frame/:linkId/why', ({ linkId, searchParams, request, reply }) =>
    embedDiagnostics(deps, { linkId, searchParams }, request, reply),
  )
  get('/link/:linkId/closed', ({ linkId, searchParams, request, reply }) =>
    sendSignInResultPage(deps, linkId, request, reply, searchParams),
  )
  get('/link/:linkId/logo', ({ linkId, reply }) => sendLogo(deps, linkId, reply))
}

function registerFormRoutes({ get, post }: PageRouter, deps: ConnectPageDeps): void {
  for (const [mode, pagePath] of [
    ['page', '/link/'],
    ['frame', '/link/frame/'],
  ] as const)
    post(`${pagePath}:linkId/connect`, ({ linkId, searchParams, request, reply }) =>
      submitConnectForm(deps, { mode, linkId, searchParams }, request, reply),
    )
  post('/link/:linkId/sign-in', ({ linkId, searchParams, request, reply }) =>
    submitSignInForm(deps, { linkId, searchParams }, request, reply),
  )
  // A form URL was opened with GET: redirect to the page of the form.
  for (const [url, pagePath] of [
    ['/link/:linkId/connect', '/link/'],
    ['/link/:linkId/sign-in', '/link/'],
    ['/link/frame/:linkId/connect', '/link/frame/'],
  ] as const)
    get(url, async ({ linkId, searchParams, reply }) => {
      const query = searchParams.size === 0 ? '' : `?${searchParams}`
      return redirect(reply, `${deps.baseUrl()}${pagePath}${encodeURIComponent(linkId)}${query}`)
    })
}

function registerSubmissionRoutes(
  app: FastifyInstance,
  deps: ConnectPageDeps,
  limit: RateLimit,
): void {
  for (const [method, handle] of [
    ['GET', getSubmission],
    ['DELETE', cancelSubmission],
  ] as const)
    app.route<{ Params: { linkId: LinkId; attemptId: string } }, { rawQuery: boolean }>({
      method,
      url: '/link/:linkId/attempts/:attemptId',
      config: { rawQuery: true },
      schema: { hide: true },
      async handler(request, reply) {
        const seconds = await limit(request)
        if (seconds === 0) return handle(deps, request.params, request, reply)
        reply.code(429).header('retry-after', String(seconds))
        return reply.send({ state: 'unknown', code: 'rate_limited' })
      },
    })
}
