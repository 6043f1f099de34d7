import type { FastifyReply, FastifyRequest } from 'fastify'
import { redirect } from '../../ui/send-page.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { sendScreen } from '../page/send-screen.ts'
import { cookieSession, frameSession } from '../session/page-session.ts'
import { chooseScreen } from './choose-screen.ts'
import { loadPage, type PageRequest } from './load-page.ts'

/** Opens the page of a link. Nothing is written: previews and scanners of links do no harm. */
export async function getConnectPage(
  deps: ConnectPageDeps,
  { mode, linkId, searchParams }: Omit<PageRequest, 'openSession'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const publicUrl = deps.publicAddress(request)
  // A frame has no cookies, and its host listens to messages of the origin that it embedded. An attempt belongs to the
  // cookie of the host that it began under.
  if (mode === 'page' && !searchParams.has('attempt') && publicUrl !== undefined)
    return redirect(reply, publicUrl)
  const openSession = () =>
    mode === 'frame' ? frameSession(request) : cookieSession(request, reply, deps.baseUrl())
  const loaded = await loadPage(deps, request, { mode, linkId, searchParams, openSession })
  if (loaded.page === undefined) return sendScreen(reply, loaded.layout, loaded.screen)
  if (countsAsOpen(request)) deps.counters.opened(linkId)
  return sendScreen(reply, loaded.page, await chooseScreen(deps, loaded.page))
}

/** The page's own script fetches its states: that is no other opening. */
function countsAsOpen({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] !== 'empty'
}
