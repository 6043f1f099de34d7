import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorScreen } from '../../../platform/ui/error-screen.ts'
import { type PageLayout, sendScreen } from '../../../platform/ui/screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { findPageLink } from '../page/find-page-link.ts'
import { createMinimalLayout, frameOrigins } from '../page/page-context.ts'

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
