import type { FastifyReply, FastifyRequest } from 'fastify'
import { redirect } from '../../ui/send-page.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { sendScreen } from '../page/send-screen.ts'
import { cookieSession, frameSession } from '../session/page-session.ts'
import { chooseScreen } from './choose-screen.ts'
import { loadPage, type PageRequest } from './load-page.ts'

/** Renders the connect page. Writes nothing, so link previews and scanners are harmless. */
export async function getConnectPage(
  deps: ConnectPageDeps,
  { mode, linkId, searchParams }: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const publicUrl = deps.publicAddress(request)
  // A frame has no cookies, and its host expects messages from the origin that it embedded. A submission belongs to the
  // cookie of the host name on which it started.
  if (mode === 'page' && !searchParams.has('attempt') && publicUrl !== undefined)
    return redirect(reply, publicUrl)
  const openSession = () =>
    mode === 'frame' ? frameSession(request) : cookieSession(request, reply, deps.baseUrl())
  const loaded = await loadPage(deps, request, { mode, linkId, searchParams, openSession })
  if (loaded.page === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  if (countsAsOpen(request)) deps.counters.opened(linkId)
  return sendScreen(reply, loaded.page, await chooseScreen(deps, loaded.page))
}

/** The page's script fetches further states; they don't count as opening the page. */
function countsAsOpen({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] !== 'empty'
}
