import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../platform/errors.ts'
import { getForm } from '../../platform/http/form-body.ts'
import { getSearchParams } from '../../platform/http/get-raw-query.ts'
import { logFailure } from '../../platform/http/log.ts'
import { button } from '../../platform/ui/button.ts'
import { errorScreen, type PageError } from '../../platform/ui/error-screen.ts'
import { type Screen, sendScreen, statusScreen } from '../../platform/ui/screen.ts'
import { buildRetryUrl } from './page/build-retry-url.ts'
import {
  buildFormQuery,
  buildPageUrl,
  createMinimalLayout,
  type PageContext,
} from './page/page-context.ts'

/** Sends the page for a request that failed before a screen could be chosen. */
export function handlePageError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
): FastifyReply {
  logFailure(request, error)
  const layout = createMinimalLayout(request, 'page', getSearchParams(request))
  const pageError = toPageError(error, request)
  const retryHref = pageError === 'unknownLink' ? undefined : getRetryHref(request)
  return sendScreen(reply, layout, errorScreen(layout, pageError, { retryUrl: retryHref }))
}

/** Sends the page for a request beyond a rate limit. `seconds`: until it may be repeated. */
export function sendRateLimitPage(
  request: FastifyRequest,
  reply: FastifyReply,
  seconds: number,
): FastifyReply {
  const layout = createMinimalLayout(request, 'page', getSearchParams(request))
  const { states, action } = layout.messages
  const href = getRetryHref(request)
  const retryButton =
    href === undefined
      ? undefined
      : button({ text: action.tryAgain, href, attributes: { 'data-go': true } })
  const screen = statusScreen('rateLimited', states.rateLimited({ seconds }), {
    status: 429,
    mark: 'wait',
    retryAfter: seconds,
    buttons: [retryButton],
  })
  return sendScreen(reply, layout, screen)
}

/** The page for a visitor whose network has used up its budget of failed checks. */
export function tooManyFailedScreen(page: PageContext, seconds: number): Screen {
  const { messages } = page
  const attributes = { 'data-go': true }
  return statusScreen('tooManyFailed', messages.states.tooManyFailed({ seconds }), {
    status: 429,
    mark: 'wait',
    retryAfter: seconds,
    buttons: [button({ text: messages.action.tryAgain, href: buildPageUrl(page), attributes })],
  })
}

function toPageError({ statusCode }: ApiError, { method }: FastifyRequest): PageError {
  if (statusCode >= 500) return 'busy'
  return method === 'GET' ? 'unknownLink' : 'notOurs'
}

/** The URL of the requested page, for a retry. */
function getRetryHref(request: FastifyRequest): string | undefined {
  const { pageId } = request.params as { pageId?: string }
  const form = getForm(request)
  const isFrame = request.routeOptions.url?.includes('/frame/') === true
  const searchParams = buildFormQuery(getSearchParams(request), form)
  return buildRetryUrl(isFrame ? 'frame' : 'page', pageId, searchParams)
}
