import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../platform/errors.ts'
import { getForm, getSearchParams } from '../../platform/http/browser-request.ts'
import { logFailure } from '../../platform/http/log.ts'
import { errorScreen, type PageError } from '../../platform/ui/error-screen.ts'
import { button } from '../../platform/ui/field.ts'
import { type PageLayout, type Screen, sendScreen, statusScreen } from '../../platform/ui/screen.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import {
  buildFormQuery,
  buildPageUrl,
  buildRetryUrl,
  createMinimalLayout,
  findPageLink,
  frameOrigins,
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

/** Maximum number of ancestor origins in a request. */
const MAX_ORIGINS = 8

/**
 * Reports why an embedded page stayed empty: the link or the connect session is unknown, the origin is not allowed, or neither
 * (`listed`). The request lists the origins of the host page and its ancestors, and only they may frame the response. It reveals nothing
 * secret: an unknown link is a 404 anyway, and the CSP of a known one lists its origins.
 */
export async function embedDiagnostics(
  deps: Pick<ConnectPageDeps, 'sharedLinks' | 'visitedSessions'>,
  { pageId, searchParams }: { readonly pageId: string; readonly searchParams: URLSearchParams },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const origins = searchParams.getAll('origin').slice(0, MAX_ORIGINS)
  const layout: PageLayout = { ...createMinimalLayout(request, 'why', searchParams), origins }
  const sharedLink = await findPageLink(deps, pageId)
  if (sharedLink === undefined) {
    const error = request.url.startsWith('/connect/') ? 'sessionRefused' : 'unknownLink'
    return sendScreen(reply, layout, errorScreen(layout, error))
  }
  const screen = errorScreen(layout, 'notHere')
  const allowedOrigins = frameOrigins(sharedLink.link, sharedLink.workspace.settings)
  const data = origins.every((origin) => allowedOrigins.includes(origin))
    ? { 'data-code': 'listed' }
    : screen.data
  return sendScreen(reply, layout, { ...screen, ...(data === undefined ? {} : { data }) })
}
