import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendOn } from '../../page/send-page.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { sendScreen } from '../view/send-screen.ts'
import { frameVisit, pageVisit } from '../visit/visit.ts'
import { loadPage, type PageRequest } from './load-page.ts'
import { showPage } from './show-page.ts'

/** Opens the page of a link. Nothing is written: previews and scanners of links do no harm. */
export async function openPage(
  deps: LinkPageDeps,
  { mode, linkId, given }: Omit<PageRequest, 'visit'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const address = deps.publicAddress(request)
  // A frame has no cookies, and its host listens to messages of the origin that it embedded. An attempt belongs to the
  // cookie of the host that it began under.
  if (mode === 'page' && !given.has('attempt') && address !== undefined)
    return sendOn(reply, address)
  const visit = () =>
    mode === 'frame' ? frameVisit(request) : pageVisit(request, reply, deps.baseUrl())
  const loaded = await loadPage(deps, request, { mode, linkId, given, visit })
  if (loaded.page === undefined) return sendScreen(reply, loaded.shell, loaded.stop)
  if (isOpened(request)) deps.counters.opened(linkId)
  return sendScreen(reply, loaded.page, await showPage(deps, loaded.page))
}

/** The page's own script fetches its states: that is no other opening. */
function isOpened({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-dest'] !== 'empty'
}
