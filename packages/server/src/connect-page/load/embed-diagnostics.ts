import type { FastifyReply, FastifyRequest } from 'fastify'
import { isId } from '../../storage/id.ts'
import { getStoredSettings } from '../../workspaces/serialize-workspace.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { frameOrigins } from '../page/frame-origins.ts'
import { minimalLayout } from '../page/minimal-layout.ts'
import type { PageLayout } from '../page/page-context.ts'
import { sendScreen } from '../page/send-screen.ts'
import { errorScreen } from '../screens/error-screens.ts'

/** Frames within frames that anybody would be told of. */
const MAX_ORIGINS = 8

/**
 * Says to a page whose frame stayed empty why: there is no such link, its origin is not listed, or neither (`listed`). The
 * page that asks names itself and those around it, and they alone may hold the answer. Nothing stands in it that anybody
 * could not read: a link that is unknown answers 404, and the policy of one that is known names its origins.
 */
export async function embedDiagnostics(
  deps: Pick<ConnectPageDeps, 'sharedLinks'>,
  { linkId, searchParams }: { readonly linkId: string; readonly searchParams: URLSearchParams },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const origins = searchParams.getAll('origin').slice(0, MAX_ORIGINS)
  const layout: PageLayout = { ...minimalLayout(request, 'why', searchParams), origins }
  const sharedLink = isId('lnk', linkId) ? await deps.sharedLinks.find(linkId) : undefined
  if (sharedLink === undefined) return sendScreen(reply, layout, errorScreen(layout, 'unknownLink'))
  const screen = errorScreen(layout, 'notHere')
  const allowedOrigins = frameOrigins(sharedLink.link, getStoredSettings(sharedLink.workspace))
  const data = origins.every((origin) => allowedOrigins.includes(origin))
    ? { 'data-code': 'listed' }
    : screen.data
  return sendScreen(reply, layout, { ...screen, ...(data === undefined ? {} : { data }) })
}
