import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from '../../platform/http/error-handler.ts'
import { acceptForms } from '../../platform/http/form-body.ts'
import { getSearchParams } from '../../platform/http/get-raw-query.ts'
import { compressPages, redirect } from '../../platform/http/send-page.ts'
import { isId } from '../../platform/storage/id.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import { disconnectAccount } from './disconnect/disconnect-account.ts'
import { handlePageError, sendRateLimitPage } from './error-pages.ts'
import { createRateLimits, type RateLimit, type RateLimits } from './limits/rate-limits.ts'
import { embedDiagnostics } from './load/embed-diagnostics.ts'
import { getConnectPage } from './load/get-connect-page.ts'
import { sendLogo } from './logo.ts'
import { getPagePath } from './page/page-context.ts'
import { chooseConnection } from './sign-in/choose-connection.ts'
import { submitSignInForm } from './sign-in/submit-sign-in-form.ts'
import { getStartPage, openConnectSession, openWithForm } from './start/open-connect-session.ts'
import { sendSignInResultPage } from './submission/send-sign-in-result-page.ts'
import { registerSubmissionRoutes } from './submission/submission-routes.ts'
import { recordRefusedPage } from './submit/record-refused-page.ts'
import { submitConnectForm } from './submit/submit-connect-form.ts'

/** `/link/…` and `/connect/…`: the connect page. Every response is HTML, except those about submissions. */
export function connectPageRoutes(deps: ConnectPageDeps): FastifyPluginAsync {
  return async (app) => {
    await compressPages(app)
    acceptForms(app)
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
  readonly pageId: string
  readonly searchParams: URLSearchParams
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type PageHandler = (routeRequest: RouteRequest) => Promise<FastifyReply>
/** Called before a request beyond the rate limit gets its page. */
type LimitedHandler = (routeRequest: RouteRequest) => Promise<void>

/** Registers page handlers with their rate limits. */
interface PageRouter {
  get(url: string, handler: PageHandler): void
  post(url: string, handler: PageHandler, onLimited?: LimitedHandler): void
}

function createPageRouter(app: FastifyInstance, limits: RateLimits): PageRouter {
  const options = { config: { rawQuery: true }, schema: { hide: true } }
  return {
    get: (url, handler) =>
      void app.get<Params, PageConfig>(url, options, withRateLimit(limits, limits.pages, handler)),
    post: (url, handler, onLimited) =>
      void app.post<Params, PageConfig>(
        url,
        options,
        withRateLimit(limits, limits.forms, handler, onLimited),
      ),
  }
}

/** The wildcard route has no `pageId`. */
type Params = { Params: { pageId?: string } }
type PageConfig = { rawQuery: boolean }

function withRateLimit(
  { linkEnumeration }: RateLimits,
  limit: RateLimit,
  handler: PageHandler,
  onLimited?: LimitedHandler,
) {
  return async (request: FastifyRequest<Params>, reply: FastifyReply): Promise<FastifyReply> => {
    const { pageId = '' } = request.params
    const seconds = (await limit(request)) || (await linkEnumeration.secondsToWait(request, pageId))
    const routeRequest = { pageId, searchParams: getSearchParams(request), request, reply }
    if (seconds > 0) {
      await onLimited?.(routeRequest)
      return sendRateLimitPage(request, reply, seconds)
    }
    await handler(routeRequest)
    if (reply.statusCode === 404) await linkEnumeration.recordMiss(request)
    return reply
  }
}

/** Old embeds produce URLs with duplicate slashes. */
const PAGE_PATHS = ['/link/:pageId', '/link/:pageId/', '//link/:pageId', '/connect/:pageId']
const FRAME_PATHS = [
  '/link/frame/:pageId',
  '/link/frame/:pageId/',
  '//link/frame/:pageId',
  '//link/frame/:pageId/',
  '/connect/frame/:pageId',
]
/** The folders of the pages of links and of connect sessions. */
const FOLDERS = ['/link/', '/connect/'] as const

function registerPageRoutes({ get, post }: PageRouter, deps: ConnectPageDeps): void {
  for (const [mode, urls] of [
    // Unknown URLs get a page too.
    ['page', [...PAGE_PATHS, '/link/*', '/connect/*']],
    ['frame', FRAME_PATHS],
  ] as const)
    for (const url of urls)
      get(url, ({ pageId, searchParams, request, reply }) => {
        const isSession = url.startsWith('/connect')
        const pageRequest = { mode, pageId, searchParams }
        return isSession && !isId('cns', pageId)
          ? getStartPage(deps, pageRequest, request, reply)
          : getConnectPage(deps, pageRequest, request, reply)
      })
  for (const [mode, url] of [
    ['page', '/connect/:pageId/open'],
    ['frame', '/connect/frame/:pageId/open'],
  ] as const)
    post(url, ({ pageId, searchParams, request, reply }) =>
      openConnectSession(deps, { mode, pageId, searchParams }, request, reply),
    )
  for (const [mode, url] of [
    ['page', '/connect/:pageId/disconnect'],
    ['frame', '/connect/frame/:pageId/disconnect'],
  ] as const)
    post(url, ({ pageId, searchParams, request, reply }) =>
      disconnectAccount(deps, { mode, pageId, searchParams }, request, reply),
    )
  for (const [mode, url] of [
    ['page', '/connect/:pageId/choose'],
    ['frame', '/connect/frame/:pageId/choose'],
  ] as const)
    post(url, ({ pageId, searchParams, request, reply }) =>
      chooseConnection(deps, { mode, pageId, searchParams }, request, reply),
    )
  for (const folder of FOLDERS) {
    get(`${folder}frame/:pageId/why`, ({ pageId, searchParams, request, reply }) =>
      embedDiagnostics(deps, { pageId, searchParams }, request, reply),
    )
    get(`${folder}:pageId/closed`, ({ pageId, searchParams, request, reply }) =>
      sendSignInResultPage(deps, pageId, request, reply, searchParams),
    )
    get(`${folder}:pageId/logo`, ({ pageId, reply }) => sendLogo(deps, pageId, reply))
  }
}

function registerFormRoutes({ get, post }: PageRouter, deps: ConnectPageDeps): void {
  const recordLimited =
    (method: 'credentials' | 'sign_in'): LimitedHandler =>
    ({ request, ...form }) =>
      recordRefusedPage(deps, request, { ...form, method }, 'rate_limited')
  for (const folder of FOLDERS) {
    for (const [mode, url] of [
      ['page', `${folder}:pageId/connect`],
      ['frame', `${folder}frame/:pageId/connect`],
    ] as const)
      post(
        url,
        async ({ pageId, searchParams, request, reply }) =>
          (await openWithForm(deps, { pageId, searchParams }, request, reply)) ??
          submitConnectForm(deps, { mode, pageId, searchParams }, request, reply),
        recordLimited('credentials'),
      )
    post(
      `${folder}:pageId/sign-in`,
      async ({ pageId, searchParams, request, reply }) =>
        (await openWithForm(deps, { pageId, searchParams }, request, reply)) ??
        submitSignInForm(deps, { pageId, searchParams }, request, reply),
      recordLimited('sign_in'),
    )
    // A form URL was opened with GET: redirect to the page of the form.
    for (const [mode, url] of [
      ['page', `${folder}:pageId/connect`],
      ['page', `${folder}:pageId/sign-in`],
      ['page', `${folder}:pageId/open`],
      ['page', `${folder}:pageId/disconnect`],
      ['page', `${folder}:pageId/choose`],
      ['frame', `${folder}frame/:pageId/connect`],
      ['frame', `${folder}frame/:pageId/open`],
      ['frame', `${folder}frame/:pageId/disconnect`],
      ['frame', `${folder}frame/:pageId/choose`],
    ] as const)
      get(url, async ({ pageId, searchParams, reply }) => {
        const query = searchParams.size === 0 ? '' : `?${searchParams}`
        return redirect(reply, `${deps.baseUrl()}${getPagePath(pageId, mode)}${query}`)
      })
  }
}
