import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../errors.ts'
import { type TranslateError, toApiError } from '../http/error-handler.ts'
import { logFailure } from '../http/log.ts'
import { button } from '../ui/button.ts'
import type { Html } from '../ui/html.ts'
import type { RateLimit, RateLimits } from './limits/rate-limits.ts'
import { minimalLayout, type PageLayout } from './page/page-context.ts'
import { formQuery, retryUrl } from './page/page-query.ts'
import { sendScreen, statusScreen } from './page/screen.ts'
import { errorScreen, type PageError } from './screens/error-screens.ts'

/** A parsed request for a page. */
export interface RouteRequest {
  readonly linkId: string
  /** The raw query, because the API's parser rejects some URLs of old embeds. */
  readonly searchParams: URLSearchParams
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type PageHandler = (routeRequest: RouteRequest) => Promise<FastifyReply>

/** Registers page handlers. Rate limits and errors are rendered as pages too. */
export interface PageRouter {
  get(url: string, handler: PageHandler): void
  post(url: string, handler: PageHandler): void
}

/** The wildcard route has no `linkId`. */
type Params = { Params: { linkId?: string } }
type PageConfig = { rawQuery: boolean }

export function createPageRouter(
  app: FastifyInstance,
  limits: RateLimits,
  translate: TranslateError,
): PageRouter {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  app.setErrorHandler((error, request, reply) => {
    const failure = toApiError(error, translate)
    logFailure(request, failure)
    const layout = minimalLayout(request, 'page', parseSearchParams(request))
    const pageError = toPageError(failure, request)
    const retryHref = pageError === 'unknownLink' ? undefined : getRetryHref(request)
    return sendScreen(reply, layout, errorScreen(layout, pageError, { retryUrl: retryHref }))
  })
  const options = { config: { rawQuery: true }, schema: { hide: true } }
  return {
    get: (url, handler) =>
      void app.get<Params, PageConfig>(url, options, rateLimited(limits, limits.pages, handler)),
    post: (url, handler) =>
      void app.post<Params, PageConfig>(url, options, rateLimited(limits, limits.forms, handler)),
  }
}

function rateLimited({ linkEnumeration }: RateLimits, limit: RateLimit, handler: PageHandler) {
  return async (request: FastifyRequest<Params>, reply: FastifyReply): Promise<FastifyReply> => {
    const searchParams = parseSearchParams(request)
    const { linkId = '' } = request.params
    const seconds = (await limit(request)) || (await linkEnumeration.secondsToWait(request, linkId))
    if (seconds === 0) {
      await handler({ linkId, searchParams, request, reply })
      if (reply.statusCode === 404) await linkEnumeration.recordMiss(request)
      return reply
    }
    const layout = minimalLayout(request, 'page', searchParams)
    const message = layout.messages.states.rateLimited({ seconds })
    const buttons = [retryButton(layout, getRetryHref(request))]
    const options = { status: 429, mark: 'wait', retryAfter: seconds, buttons } as const
    return sendScreen(reply, layout, statusScreen('rateLimited', message, options))
  }
}

function toPageError({ statusCode }: ApiError, { method }: FastifyRequest): PageError {
  if (statusCode >= 500) return 'busy'
  return method === 'GET' ? 'unknownLink' : 'notOurs'
}

/** The URL of the requested page, for a retry. */
function getRetryHref(request: FastifyRequest): string | undefined {
  const { linkId } = request.params as Params['Params']
  const { body } = request
  const searchParams = formQuery(
    parseSearchParams(request),
    body instanceof URLSearchParams ? body : EMPTY_FORM,
  )
  const isFrame = request.routeOptions.url?.includes('/link/frame/') === true
  return retryUrl(isFrame ? 'frame' : 'page', linkId, searchParams)
}

const EMPTY_FORM = new URLSearchParams()

function retryButton({ messages }: PageLayout, href: string | undefined): Html | undefined {
  const text = messages.action.tryAgain
  return href === undefined ? undefined : button({ text, href, attributes: { 'data-go': true } })
}

function parseSearchParams({ originalUrl }: FastifyRequest): URLSearchParams {
  const queryStart = originalUrl.indexOf('?')
  return new URLSearchParams(queryStart === -1 ? '' : originalUrl.slice(queryStart + 1))
}
